"""
Finds the verification tags of a page: only those in its head, where a visitor's comment cannot put one.

The page is untrusted, so no tree is built of it: that takes minutes for half a megabyte of nested elements. One forward
scan over a bounded prefix follows the tokenizer of the HTML standard (13.2.5) and stops where the head ends.
"""

import html
import re

TAG_NAME = "service-ad-verification"
MAX_BYTES = 262_144
"""Bytes of a page that are scanned; heads with inlined styles have some hundred thousand."""
_MAX_TAGS = 50
_MAX_TOKENS = 10_000
"""Tags and attributes together; real heads have less than a tenth of that."""
_MAX_CONTENT_CHARS = 1000

_SPACE = "\t\n\f\r "
_TAG = re.compile(r"<(/?)([A-Za-z][^\t\n\f\r />]*+)")
_ATTRIBUTE = re.compile(
    r"[\t\n\f\r /]*+(?:(?P<end>>)|(?P<name>[^\t\n\f\r />][^\t\n\f\r />=]*+)"
    r"(?:[\t\n\f\r ]*+=[\t\n\f\r ]*+"
    r"(?:\"(?P<double>[^\"]*+)\"|'(?P<single>[^']*+)'|(?P<unclosed>[\"'])|(?P<bare>[^\t\n\f\r >]*+)))?+)"
)
_COMMENT_END = re.compile(r"--!?>")
_WITHOUT_CONTENT = frozenset({"html", "head", "base", "basefont", "bgsound", "link", "meta"})
_OF_TEXT = frozenset({"script", "style", "title", "noscript", "noframes"})
"""Elements whose content is text: only their own end tag is recognised inside."""
_ENDS_THE_HEAD = frozenset({"head", "body", "html", "br"})
_TEXT_END = {
    name: re.compile(rf"</{name}(?=[\t\n\f\r />])", re.IGNORECASE)
    for name in (*_OF_TEXT, "textarea", "xmp", "iframe", "noembed")
}


def tag_for(token: str) -> str:
    """*token* needs no escaping in HTML."""
    return f'<meta name="{TAG_NAME}" content="{token}">'


def find_tags(body: bytes) -> tuple[str, ...]:
    """
    The contents of the tags, in order; a page in another encoding than UTF-8 still shows its ASCII.

    Takes time linear in the scanned bytes; `make measure-parsers` shows the worst case.
    """
    head = _Head(body[:MAX_BYTES].decode("utf-8", "replace").removeprefix("\ufeff"))
    at: int | None = 0
    while at is not None and len(head.found) < _MAX_TAGS and head.tokens < _MAX_TOKENS:
        at = head.read_next(at)
    return tuple(content for content in head.found if content)


class _Head:
    def __init__(self, text: str) -> None:
        self.found: list[str] = []
        self.tokens = 0
        self._text = text
        self._templates = 0
        """The number of open templates; their content is not part of the page."""

    def read_next(self, at: int) -> int | None:
        """Read the markup after *at*. Returns where it ends, None at the end of the head or the page."""
        text = self._text
        start = text.find("<", at)
        if start < 0 or not (self._templates or text[at:start].strip(_SPACE) == ""):
            return None
        self.tokens += 1
        tag = _TAG.match(text, start)
        if tag is not None:
            return self._read_tag(tag[2].lower(), tag.end(), closes=bool(tag[1]))
        if text.startswith("<!--", start):
            return self._find_comment_end(start + 4)
        if text.startswith(("<!", "<?", "</"), start):
            end = text.find(">", start)
            return None if end < 0 else end + 1
        return start + 1 if self._templates else None

    def _read_tag(self, name: str, at: int, *, closes: bool) -> int | None:
        attributes, end = self._read_attributes(at)
        if end is None:
            return None
        if name == "template":
            self._templates = max(0, self._templates - 1) if closes else self._templates + 1
            return end
        if closes:
            return None if name in _ENDS_THE_HEAD and not self._templates else end
        if name in _OF_TEXT or (self._templates and name in _TEXT_END):
            found = _TEXT_END[name].search(self._text, end)
            return None if found is None else found.start()
        if self._templates:
            return end
        if name == "meta" and attributes.get("name", "").lower() == TAG_NAME:
            content = attributes.get("content", "")[:_MAX_CONTENT_CHARS]
            self.found.append(html.unescape(content).strip())
        return end if name in _WITHOUT_CONTENT else None

    def _read_attributes(self, at: int) -> tuple[dict[str, str], int | None]:
        """Attributes by lower-case name, the first of each; and the end of the tag, None if it does not end."""
        attributes: dict[str, str] = {}
        while self.tokens < _MAX_TOKENS:
            self.tokens += 1
            part = _ATTRIBUTE.match(self._text, at)
            if part is None or part["unclosed"]:
                break
            at = part.end()
            if part["end"]:
                return attributes, at
            value = part["double"] or part["single"] or part["bare"] or ""
            attributes.setdefault(part["name"].lower(), value)
        return attributes, None

    def _find_comment_end(self, at: int) -> int | None:
        for short in (">", "->"):
            if self._text.startswith(short, at):
                return at + len(short)
        found = _COMMENT_END.search(self._text, at)
        return None if found is None else found.end()
