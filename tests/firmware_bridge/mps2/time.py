"""Milliseconds for a MicroPython port without a clock: the counter of the MPS2's FPGA, set to a thousand a second."""

import micropython
from umachine import mem32

_COUNTER, _PRESCALE = 0x40028018, 0x4002801C
_TICK_CONTROL, _TICK_RELOAD, _PENDING = 0xE000E010, 0xE000E014, 0xE000ED04
_KHZ = 25_000
_PERIOD = 1 << 30


@micropython.asm_thumb
def _let_nothing_interrupt():
    cpsid(i)


@micropython.asm_thumb
def _wait_for_interrupt():
    wfi()


_let_nothing_interrupt()
mem32[_PRESCALE] = _KHZ - 1
mem32[_TICK_RELOAD] = _KHZ - 1


def ticks_ms():
    """As everywhere in MicroPython they begin anew after 2**30."""
    return mem32[_COUNTER] & (_PERIOD - 1)


ticks_cpu = ticks_ms


def ticks_diff(later, earlier):
    """Milliseconds between two ticks."""
    return (later - earlier + _PERIOD // 2) % _PERIOD - _PERIOD // 2


def sleep_ms(ms):
    """Wait."""
    begin = ticks_ms()
    while ticks_diff(ticks_ms(), begin) < ms:
        doze()


def doze():
    """Let the machine that emulates this one rest for a millisecond: wait for a tick, which interrupts nothing."""
    mem32[_TICK_CONTROL] = 7
    _wait_for_interrupt()
    mem32[_TICK_CONTROL] = 0
    mem32[_PENDING] = 1 << 25
