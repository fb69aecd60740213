"""Text of the description as markup: its simple Markdown, and JSON with highlighted parts."""

import re
from typing import Any

import orjson
from markupsafe import Markup, escape

_CODE = re.compile(r"`([^`]+)`")
_JSON_PARTS = re.compile(
    r'(?P<key>"(?:[^"\\]|\\.)*")(?=\s*:)'
    r'|(?P<text>"(?:[^"\\]|\\.)*")'
    r"|(?P<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)"
    r"|(?P<word>true|false|null)"
)


def paragraphs(text: str) -> Markup:
    """Paragraphs and code marks; everything else is unchanged."""
    parts = [part for part in text.split("\n\n") if part.strip()]
    return Markup("").join(Markup("<p>{}</p>").format(inline(part)) for part in parts)


def inline(text: str) -> Markup:
    """*text* without paragraphs: `code` marks only."""
    pieces = _CODE.split(text)
    return Markup("").join(
        Markup("<code>{}</code>").format(piece) if number % 2 else escape(piece)
        for number, piece in enumerate(pieces)
    )


def json_markup(value: Any) -> Markup:
    """*value* as indented JSON."""
    text = orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()
    made, end = Markup(""), 0
    for found in _JSON_PARTS.finditer(text):
        made += escape(text[end : found.start()])
        made += Markup('<span class="{}">{}</span>').format(found.lastgroup, found.group())
        end = found.end()
    return made + escape(text[end:])
