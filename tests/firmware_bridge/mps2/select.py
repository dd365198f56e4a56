"""Waiting for the console, for a MicroPython port that cannot: it looks whether the MPS2's first UART has a byte."""

from time import doze, ticks_diff, ticks_ms

from umachine import mem32

POLLIN = 1

_STATE = 0x40004004
_LOOKS = 100  # the emulator brings a byte some time after the one before it was taken


class poll:
    def register(self, stream, events):
        if events != POLLIN:
            raise ValueError("only the console's bytes can be waited for")
        self._ready = [(stream, events)]

    def poll(self, ms):
        begin = ticks_ms()
        while True:
            for _ in range(_LOOKS):
                if mem32[_STATE] & 2:
                    return self._ready
            if ticks_diff(ticks_ms(), begin) >= ms:
                return []
            doze()
