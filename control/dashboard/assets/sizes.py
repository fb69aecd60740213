"""File sizes in human-readable units."""

from babel import Locale, numbers

_STEP = 1024
_UNITS = ("B", "KiB", "MiB", "GiB")


def bytes_in_words(count: int, locale: Locale) -> str:
    """``1.4 MiB``, with the number format of the user's locale."""
    size, unit = float(count), 0
    while size >= _STEP and unit < len(_UNITS) - 1:
        size, unit = size / _STEP, unit + 1
    return f"{numbers.format_decimal(round(size, 1), locale=locale)} {_UNITS[unit]}"
