"""
What a QR code says (ISO/IEC 18004, byte mode, error correction M): the bytes of a text, with those that mend it, in the
order in which they are drawn. Versions 1 to 20, which take 666 bytes.
"""

_MEND_PER_BLOCK = (
    10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26,
)  # fmt: skip
_BLOCKS = (1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16)
"""Both by version; table 9 of the standard."""
_BYTE_MODE = 0b0100
_WIDE_COUNT_FROM = 10
_FILLERS = (0xEC, 0x11)
_POLYNOMIAL = 0x11D
"""Of the field that the standard counts in."""


def version_for(data: bytes) -> int:
    """The smallest that takes *data*. Raises `ValueError` where none does."""
    for version in range(1, len(_BLOCKS) + 1):
        bits = 4 + _count_bits(version) + 8 * len(data)
        if bits <= 8 * _data_bytes(version):
            return version
    raise ValueError(f"{len(data)} bytes are more than a code of ours takes")


def codewords(data: bytes, version: int) -> bytes:
    blocks = _split(_filled(data, version), version)
    mend = _MEND_PER_BLOCK[version - 1]
    divisor = _divisor(mend)
    mends = [_remainder(block, divisor) for block in blocks]
    longest = len(blocks[-1])
    woven = [block[at] for at in range(longest) for block in blocks if at < len(block)]
    woven += [one[at] for at in range(mend) for one in mends]
    return bytes(woven)


def aligned_at(version: int) -> list[int]:
    """Rows, and columns, of the middles of alignment patterns."""
    if version == 1:
        return []
    count = version // 7 + 2
    step = (version * 8 + count * 3 + 5) // (count * 4 - 4) * 2
    return [6, *sorted(version * 4 + 10 - at * step for at in range(count - 1))]


def _count_bits(version: int) -> int:
    return 16 if version >= _WIDE_COUNT_FROM else 8


def _all_bytes(version: int) -> int:
    """What is left of the square without its patterns."""
    modules = (16 * version + 128) * version + 64
    if version > 1:
        count = version // 7 + 2
        modules -= (25 * count - 10) * count - 55
    if version >= 7:  # noqa: PLR2004 - from here on a code names its version
        modules -= 36
    return modules // 8


def _data_bytes(version: int) -> int:
    return _all_bytes(version) - _MEND_PER_BLOCK[version - 1] * _BLOCKS[version - 1]


def _filled(data: bytes, version: int) -> bytes:
    size, width = _data_bytes(version), _count_bits(version)
    value = ((_BYTE_MODE << width) | len(data)) << 8 * len(data) | int.from_bytes(data)
    bits = 4 + width + 8 * len(data)
    end = min(4, 8 * size - bits)
    value, bits = value << end, bits + end
    rest = -bits % 8
    filled = (value << rest).to_bytes((bits + rest) // 8)
    return filled + bytes(_FILLERS[at % 2] for at in range(size - len(filled)))


def _split(data: bytes, version: int) -> list[bytes]:
    """Into blocks, of which the last ones are a byte longer where it does not divide."""
    count = _BLOCKS[version - 1]
    short, longer = divmod(len(data), count)
    sizes = [short] * (count - longer) + [short + 1] * longer
    starts = [sum(sizes[:at]) for at in range(count)]
    return [data[start : start + size] for start, size in zip(starts, sizes, strict=True)]


def _times(one: int, other: int) -> int:
    product = 0
    for bit in range(7, -1, -1):
        product = (product << 1) ^ ((product >> 7) * _POLYNOMIAL)
        product ^= ((other >> bit) & 1) * one
    return product


def _divisor(degree: int) -> list[int]:
    """Of Reed and Solomon, its first coefficient (1) left out."""
    found = [0] * (degree - 1) + [1]
    root = 1
    for _ in range(degree):
        for at in range(degree):
            found[at] = _times(found[at], root)
            if at + 1 < degree:
                found[at] ^= found[at + 1]
        root = _times(root, 2)
    return found


def _remainder(block: bytes, divisor: list[int]) -> list[int]:
    rest = [0] * len(divisor)
    for byte in block:
        factor = byte ^ rest.pop(0)
        rest.append(0)
        rest = [have ^ _times(by, factor) for have, by in zip(rest, divisor, strict=True)]
    return rest
