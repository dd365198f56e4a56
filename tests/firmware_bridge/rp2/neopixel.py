"""WS2812 for a MicroPython without an RP2040: what was written to a strip is kept for the log."""

import machine


class NeoPixel:
    """A strip on a pin."""

    def __init__(self, pin, count):
        self._number = pin.number
        self._pixels = [(0, 0, 0)] * count

    def __setitem__(self, place, colour):
        self._pixels[place] = colour

    def fill(self, colour):
        self._pixels = [colour] * len(self._pixels)

    def write(self):
        machine.add_strip(self._number, b"".join([bytes(pixel) for pixel in self._pixels]))
