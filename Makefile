# Every target does its own set-up: `make demo` and `make test` work on a fresh machine.
VENV := .venv
BIN := $(VENV)/bin
DEMO_ARGS ?=
TEST_ARGS ?=
CHAOS_ARGS ?=
SOAK_ARGS ?=

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | sort | expand -t 12

demo: $(VENV)/.ready ## play a whole game on a rendered table (DEMO_ARGS="--mishaps --fast --plain")
	$(BIN)/gameline demo $(DEMO_ARGS)

test: $(VENV)/.ready-dev bad-days ## run every test (TEST_ARGS="-k journal")
	$(BIN)/python -m pytest -n 2 --dist loadfile $(TEST_ARGS)

chaos: $(VENV)/.ready-dev bad-days ## 200 games on bad days (CHAOS_ARGS="--runs 20 --seed 7 --fault disk"), an hour and a half
	$(BIN)/python -m tests.chaos $(CHAOS_ARGS)

soak: $(VENV)/.ready-dev ## an hour at 20 times the speed of people: memory and delay stay as they were (SOAK_ARGS="--minutes 10")
	$(BIN)/python -m tests.chaos.soak $(SOAK_ARGS)

bad-days: # what makes a disk fail and a clock jump for one process alone
	@[ -x /usr/bin/strace ] && [ -x /usr/bin/faketime ] || bash .ci/install strace faketime

test-gpio: $(VENV)/.ready-gpio ## test pins, and a USB camera, on what a kernel of our own simulates (built once, some minutes)
	KERNEL_OPTIONS=time-travel=inf-cpu bash tests/gpio/in-guest build/test-gpio bash tests/gpio/all-tests

fuzz: $(VENV)/.ready-dev ## ten million random bytes into both ends of the seat board's line
	GAMELINE_FUZZ_BYTES=10000000 $(BIN)/python -m pytest --timeout 600 -k random_bytes tests/firmware_bridge/test_line_noise.py

test-board: $(VENV)/.ready-dev ## the firmware on an emulated microcontroller, under a MicroPython of our own (built once, a minute)
	@[ -x /usr/bin/qemu-system-arm ] || bash .ci/install qemu-system-arm
	micropython=$$(bash tests/firmware_bridge/mps2/build) && GAMELINE_TEST_BOARD=$$micropython \
	    $(BIN)/python -m pytest tests/firmware_bridge/test_emulated_board.py tests/firmware_bridge/test_firmware.py

test-unit: $(VENV)/.ready-dev ## the service under a systemd that is booted for it in a container (as root)
	@[ -x /usr/bin/systemd-nspawn ] || bash .ci/install systemd systemd-container
	GAMELINE_TEST_UNIT=1 $(BIN)/python -m pytest -rs tests/systemd/test_boot.py

BROKERS ?= mosquitto mosquitto-3.1.1 nats rabbitmq
test-brokers: $(VENV)/.ready-dev ## the table's MQTT against RabbitMQ, NATS, and mosquitto in MQTT 3.1.1, some minutes (BROKERS="nats")
	@for broker in $(filter nats rabbitmq,$(BROKERS)); do \
	    [ -x /usr/sbin/$$broker-server ] || bash .ci/install $$broker-server || exit 1; done
	for broker in $(BROKERS); do GAMELINE_TEST_BROKER=$$broker $(BIN)/python -m pytest \
	    -rs --timeout 600 tests/controller/test_mqtt.py tests/controller/test_broker_abilities.py || exit 1; done

test-contract: build/contract/.ready ## AsyncAPI's own parser on the document, and docs/mqtt.md's displays in Node.js
	PATH="$(CURDIR)/$(BIN):$$PATH" GAMELINE_TEST_NODE=build/contract/node_modules \
	    $(BIN)/python -m pytest -rs tests/contract

test-homeassistant: $(VENV)/.ready-dev ## a table in Home Assistant itself, its core and MQTT integration (installed once; needs Python 3.13)
	python=$$(bash tests/home_assistant/install build/home-assistant) && GAMELINE_TEST_HASS=$$python \
	    $(BIN)/python -m pytest -rs tests/home_assistant

check: $(VENV)/.ready-dev ## formatting, lint and types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

bench: $(VENV)/.ready-dev ## measure the reader, the watcher, page and recorder, the way from a frame to a display, a hall of 300 tables, the rules, and the seat board's line
	$(BIN)/python -m bench.read
	$(BIN)/python -m bench.watch
	$(BIN)/python -m bench.keep
	$(BIN)/python -m bench.latency
	@command -v mosquitto_sub >/dev/null || bash .ci/install mosquitto-clients
	$(BIN)/python -m bench.hall
	$(BIN)/python -m bench.rules
	$(BIN)/python -m bench.wire

bench-gpio: $(VENV)/.ready-gpio ## measure press and lamp on simulated lines beside a bare callback
	bash tests/gpio/in-guest build/bench-gpio python -m bench.seats

exam: $(VENV)/.ready-dev ## read 500 drawn pictures that nothing was learnt from, 200 of them without dominoes
	$(BIN)/python -m vision.exam

sight: $(VENV)/.ready-dev ## play 400 drawn sets through reader and rules, half of them with one wrong domino, ten minutes
	$(BIN)/python -m tests.rendered_sets

train: $(VENV)/.ready-train ## make the reader's networks from nothing, under an hour on two cores
	$(BIN)/python -m vision.train

lock: $(VENV)/.ready-train ## write the versions that are installed into constraints.txt
	$(BIN)/python -m pip freeze --exclude-editable --exclude pip --exclude setuptools | sed "s/+cpu//" > constraints.txt

clean: ## remove the virtual environment and caches
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis *.egg-info

$(VENV)/.ready: pyproject.toml constraints.txt .ci/prepare
	@bash .ci/prepare $(VENV) .
	@touch $@

$(VENV)/.ready-train: pyproject.toml constraints.txt .ci/prepare
	@bash .ci/prepare $(VENV) .[dev,pi,train]
	@touch $@ $(VENV)/.ready $(VENV)/.ready-dev $(VENV)/.ready-gpio

$(VENV)/.ready-dev: pyproject.toml constraints.txt .ci/prepare
	@bash .ci/prepare $(VENV) .[dev]
	@touch $@ $(VENV)/.ready

$(VENV)/.ready-gpio: pyproject.toml constraints.txt .ci/prepare
	@bash .ci/prepare $(VENV) .[dev,pi]
	@touch $@ $(VENV)/.ready $(VENV)/.ready-dev

$(VENV)/.ready-contract: pyproject.toml constraints.txt .ci/prepare
	@bash .ci/prepare $(VENV) .[dev,contract]
	@touch $@ $(VENV)/.ready $(VENV)/.ready-dev

build/contract/.ready: tests/contract/package.json $(VENV)/.ready-contract
	@mkdir -p $(@D) && cp $< $(@D)
	@PATH="$(CURDIR)/$(BIN):$$PATH" npm install --prefix $(@D) --silent --no-audit --no-fund --no-package-lock
	@touch $@

.PHONY: help demo test chaos soak bad-days test-gpio fuzz test-board test-unit test-brokers test-contract test-homeassistant check bench bench-gpio exam sight train lock clean
.DEFAULT_GOAL := help
