"""Text of people, in the one form in which the same characters are the same text."""

import unicodedata


def composed(text: str) -> str:
    """*text* in Unicode's form NFC: an ``é`` of two code points, as some systems write it, becomes that of one."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)
