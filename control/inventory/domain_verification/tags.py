"""
The verification tags of a page: only those in its head, where no visitor's comment can put one.

The page is a stranger's, so no tree is built of it: that takes minutes for half a megabyte of nested elements. One
scan goes forward over a bounded prefix, by the tokenizer of the HTML standard (13.2.5), and stops where the head does.
"""

import html
import re

TAG_NAME = "service-ad-verification"
MAX_BYTES = 262_144
"""Of a page that are looked at; heads with their styles written into them have some hundred thousand."""
_MAX_TAGS = 50
_MAX_TOKENS = 10_000
"""Tags and attributes together; the head of no page has a tenth of that."""
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
"""Nothing inside these is a tag, but their own end."""
_ENDS_THE_HEAD = frozenset({"head", "body", "html", "br"})
_TEXT_END = {
    name: re.compile(rf"</{name}(?=[\t\n\f\r />])", re.IGNORECASE)
    for name in (*_OF_TEXT, "textarea", "xmp", "iframe", "noembed")
}


def tag_for(token: str) -> str:
    """*token* holds nothing that HTML would read otherwise."""
    return f'<meta name="{TAG_NAME}" content="{token}">'


def find_tags(body: bytes) -> tuple[str, ...]:
    """
    The tags' contents, in their order; a page in another encoding than UTF-8 still shows its ASCII.

    Takes time linear in the bytes looked at; `make measure-parsers` shows how long at worst.
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
        """How many are open; what they hold is no part of the page."""

    def read_next(self, at: int) -> int | None:
        """The markup after *at*; gives where it ends, None where the head or the page does."""
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
        """By name in lower case, the first of each; and where the tag ends, None where it does not."""
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
