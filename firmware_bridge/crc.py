"""The CRC of the frames, for a Python without one, as MicroPython; what is checked by it is not known here."""

# What half a byte adds: of each of its four bits the polynomial 1021 (hex), shifted to its place.
_HALVES = tuple(
    0x1021 * (half & 1) ^ 0x2042 * (half >> 1 & 1) ^ 0x4084 * (half >> 2 & 1) ^ 0x8108 * (half >> 3 & 1)
    for half in range(16)
)


def crc_hqx(data: bytes, crc: int) -> int:
    """The same as `binascii.crc_hqx`: CRC-16/CCITT going on from *crc*, half a byte at a time to need little memory."""
    for byte in data:
        crc = crc << 4 & 0xFFFF ^ _HALVES[crc >> 12 ^ byte >> 4]
        crc = crc << 4 & 0xFFFF ^ _HALVES[crc >> 12 ^ byte & 15]
    return crc
