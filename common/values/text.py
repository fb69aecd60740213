"""Text that people typed: the one Unicode form in which equal characters are equal text, and what XML can contain."""

import re
import unicodedata
from typing import Final

NOT_IN_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""A character that XML 1.0 cannot contain in any form (its section "Characters")."""


def composed(text: str) -> str:
    """
    Returns *text* in Unicode's form NFC:
    an ``é`` of two code points, as some systems write it, becomes one code point.

    The time is quadratic in the number of combining marks in a row, so bound the length of *text* before.
    """
    return text if text.isascii() else unicodedata.normalize("NFC", text)
