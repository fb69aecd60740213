"""Text that people typed, in the one Unicode form in which equal characters are equal text."""

import unicodedata


def composed(text: str) -> str:
    """
    Returns *text* in Unicode's form NFC:
    an ``é`` of two code points, as some systems write it, becomes one code point.
    """
    return text if text.isascii() else unicodedata.normalize("NFC", text)
