# A board for MicroPython's own `qemu` port: the emulated MPS2 with a Cortex-M3, a file system in its flash, and the
# modules of a seat board's chip made up. Its heap is the port's 140 kB; a Raspberry Pi Pico has more.
include boards/MPS2_AN385/mpconfigboard.mk
MICROPY_VFS_FAT = 1
CFLAGS += -DMICROPY_FATFS_NORTC=1 -DMICROPY_FATFS_RPATH=2 -DMICROPY_FATFS_ENABLE_LFN=1
SRC_C += shared/timeutils/timeutils.c
FROZEN_MANIFEST = $(BOARD_DIR)/manifest.py
# Debian's source leaves micropython-lib out, nothing of which is frozen; the Makefile looks for it all the same.
MPY_LIB_DIR = $(TOP)
