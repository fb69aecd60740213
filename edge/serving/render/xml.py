"""Text for XML 1.0 documents: elements, attributes, and URLs in CDATA sections."""

import re
from html import escape
from sys import intern
from typing import Final, final

from common.values.text import NOT_IN_XML

XML_HEAD: Final = '<?xml version="1.0" encoding="UTF-8"?>'


@final
class MarkedText:
    """
    A text with *marks*, of which none contains another. It is split once, so that `append_to` copies a list.

    Pieces are UTF-8 with a character for each byte, so that `as_bytes` copies bytes whatever the text contains: joining
    `bytes` costs four times as much as joining `str`. Texts share their equal pieces. Most of a document is the same
    for all ads, and stays in the processor's cache.
    """

    def __init__(self, text: str, marks: tuple[str, ...]) -> None:
        pieces = re.split(f"({'|'.join(map(re.escape, marks))})", text)
        self._parts = [intern(piece.encode().decode("latin-1")) for piece in pieces]
        self._places = [
            [place for place, piece in enumerate(pieces) if piece == mark] for mark in marks
        ]
        """Of each mark, in their order."""

    def append_to(self, parts: list[str], *values: str) -> None:
        """Appends the text, in pieces. *values*: what replaces each of the marks, in their order; ASCII."""
        start = len(parts)
        parts += self._parts
        for number in range(len(values)):
            value = values[number]
            for place in self._places[number]:
                parts[start + place] = value


def as_bytes(parts: list[str]) -> bytes:
    """Returns the UTF-8 of *parts*, to which texts were appended."""
    return "".join(parts).encode("latin-1")


def text_of(value: object) -> str:
    """*value* as the text of an element, or as the value of an attribute."""
    return escape(NOT_IN_XML.sub("", str(value)))


def cdata(url: str) -> str:
    """*url* as VAST requires every URL: in a CDATA section (VAST 4.2, "URI"), whose end it cannot contain."""
    return f"<![CDATA[{url.replace(']]>', ']]%3E')}]]>"


def cdata_text(text: str) -> str:
    """*text* unchanged in CDATA sections: the end of a section is divided between two (XML 1.0, "CDATA Sections")."""
    return f"<![CDATA[{NOT_IN_XML.sub('', text).replace(']]>', ']]]]><![CDATA[>')}]]>"


def element(name: str, inside: str, **attributes: object) -> str:
    """*inside*: markup. Attributes that are None are left out; True and False are written as XML Schema does."""
    return f"<{name}{attributes_of(**attributes)}>{inside}</{name}>"


def attributes_of(**attributes: object) -> str:
    return "".join(
        f' {name}="{_attribute(value)}"' for name, value in attributes.items() if value is not None
    )


def clock(milliseconds: int) -> str:
    """``hh:mm:ss``, with ``.mmm`` where it is not a whole second (VAST 4.2, "Duration"; VMAP 1.0, "AdBreak")."""
    seconds, rest_ms = divmod(milliseconds, 1000)
    whole = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return f"{whole}.{rest_ms:03}" if rest_ms else whole


def _attribute(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else text_of(value)
