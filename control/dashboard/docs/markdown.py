"""Markdown of guides and of the changelog as HTML, with consecutive code blocks as one set of examples."""

import re
from collections.abc import Callable, Sequence
from typing import Any, Final

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markupsafe import Markup, escape

LANGUAGES: Final = {
    "html": "HTML",
    "sh": "curl",
    "python": "Python",
    "js": "JavaScript",
    "go": "Go",
    "php": "PHP",
}
"""The names of languages that code blocks have, to those that readers see."""
_FENCE = "fence"
_MARKS_IN_A_SENTENCE = re.compile(r"\*\*|`|\[|\]\([^)]*\)")
_OTHER_MARKS = re.compile(r"[*#|]|-{3,}")

Resolve = Callable[[str], str]
"""The address on this host of a link's target in the text."""


class _Renderer(RendererHTML):
    """Every code block is a figure with its language, so that all are readable without a script."""

    def fence(self, tokens: Sequence[Token], idx: int, *_: Any) -> str:
        block = tokens[idx]
        is_first = idx == 0 or tokens[idx - 1].type != _FENCE
        is_last = idx + 1 == len(tokens) or tokens[idx + 1].type != _FENCE
        figure = Markup(
            '<figure data-language="{}"><figcaption>{}</figcaption>'
            '<pre tabindex="0"><code>{}</code></pre></figure>\n'
        ).format(block.info, LANGUAGES[block.info], block.content)
        start = '<div class="examples">\n' if is_first else ""
        return f"{start}{figure}{'</div>' if is_last else ''}"

    def table_open(self, *_: Any) -> str:
        return '<div class="scroll"><table>\n'

    def table_close(self, *_: Any) -> str:
        return "</table></div>\n"


def markdown_html(text: str, resolve: Resolve) -> Markup:
    """*text*, which is ours; HTML in it is shown as text. Raises KeyError for a block in an unknown language."""
    parser = MarkdownIt("commonmark", {"html": False}, renderer_cls=_Renderer).enable("table")
    tokens = parser.parse(text)
    for token in tokens:
        for child in token.children or ():
            if child.type == "link_open":
                child.attrs["href"] = resolve(str(child.attrs["href"]))
    return Markup(parser.renderer.render(tokens, parser.options, {}))  # noqa: S704 - escaped by the renderer


def plain_text(text: str) -> str:
    """*text* without marks, for the search and for lists of guides."""
    return " ".join(_OTHER_MARKS.sub(" ", _MARKS_IN_A_SENTENCE.sub("", text)).split())


def fill_in(html: Markup, values: dict[str, str]) -> Markup:
    """*html* with each name of *values* replaced by its value."""
    filled = str(html)
    for name, value in values.items():
        filled = filled.replace(str(escape(name)), str(escape(value)))
    return Markup(filled)  # noqa: S704 - html with escaped values
