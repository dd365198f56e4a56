"""What MicroPython does first on this board: mounts its flash, a megabyte of the MPS2's own RAM, and runs main.py."""

import uctypes
import vfs

_BLOCK = 512
_BLOCKS = 2048
_MEMORY = uctypes.bytearray_at(0x21000000, _BLOCKS * _BLOCK)


class _Flash:
    def readblocks(self, number, buffer):
        buffer[:] = _MEMORY[number * _BLOCK : number * _BLOCK + len(buffer)]

    def writeblocks(self, number, buffer):
        _MEMORY[number * _BLOCK : number * _BLOCK + len(buffer)] = buffer

    def ioctl(self, what, _):
        return {4: _BLOCKS, 5: _BLOCK}.get(what, 0)


try:
    vfs.mount(_Flash(), "/")
except OSError:  # blank
    vfs.VfsFat.mkfs(_Flash())
    vfs.mount(_Flash(), "/")
try:
    execfile("main.py")
except OSError as problem:
    if problem.errno != 2:
        raise
