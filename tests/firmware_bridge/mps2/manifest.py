"""What is frozen into the emulated board's MicroPython."""

freeze(".", ("start.py", "outside.py", "select.py", "time.py", "utime.py"))
freeze("../rp2", ("machine.py", "neopixel.py"))
