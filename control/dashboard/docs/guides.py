"""
The guides as values: one Markdown file each below ``guides/``, in the order in which they are read.

Links between guides name files; ``reference:ID`` leads to an operation. Addresses and keys in the text are placeholders
(`EDGE_TEST` and others), which a page fills in with those of the deployment and of the reader.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from markupsafe import Markup

from common.contract.edge import EDGE_OPERATIONS
from common.contract.operation import Operation
from control.dashboard.docs.markdown import fill_in, markdown_html, plain_text
from control.dashboard.docs.model import slug_of

_HERE = Path(__file__).parent
_INSTALLED = _HERE.with_name("library") / "CHANGELOG.md"
"""Where the wheel puts the changelog; a checkout has it in its root."""
_CHANGELOG: Final = _INSTALLED if _INSTALLED.is_file() else _HERE.parents[2] / "CHANGELOG.md"
_ORDER = (
    "first-ad",
    "go-live",
    "conversions",
    "email",
    "sound",
    "film",
    "consent",
    "server-rendering",
)
_REFERENCE = "reference:"
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")

TEST_KEY: Final = "pk_test_…"
EDGE_TEST: Final = "https://edge-test.example"
EDGE_LIVE: Final = "https://edge.example"
CONTROL: Final = "https://placard.example"


@dataclass(frozen=True, slots=True)
class Guide:
    """``name`` is in its address. ``lead``: the first paragraph, as plain text."""

    name: str
    title: str
    lead: str
    source: str

    @property
    def path(self) -> str:
        return f"/docs/guides/{self.name}"


@lru_cache(maxsize=1)
def list_guides() -> tuple[Guide, ...]:
    return tuple(_read(name) for name in _ORDER)


def guide_html(guide: Guide, operations: Iterable[Operation], values: dict[str, str]) -> Markup:
    """The guide below its title. *operations*: of the control plane. *values*: of placeholders."""
    addresses = {one.id: operation_path(one) for one in (*EDGE_OPERATIONS, *operations)}

    def resolve(target: str) -> str:
        if target.startswith(_REFERENCE):
            return addresses[target.removeprefix(_REFERENCE)]
        return f"/docs/guides/{target.removesuffix('.md')}" if target.endswith(".md") else target

    _, _, body = guide.source.partition("\n")
    return fill_in(markdown_html(body, resolve), values)


def operation_path(operation: Operation) -> str:
    """Its place in the reference."""
    return f"/docs/{slug_of(operation.tag)}#{operation.id}"


@lru_cache(maxsize=1)
def changelog_html() -> Markup:
    """Below its title. Links lead to files of the source, so only their texts are shown."""
    _, _, body = _CHANGELOG.read_text("utf-8").partition("\n")
    return markdown_html(_LINK.sub(r"\1", body), str)


def _read(name: str) -> Guide:
    source = (_HERE / "guides" / f"{name}.md").read_text("utf-8")
    title, _, rest = source.removeprefix("# ").partition("\n")
    lead, _, _ = rest.strip().partition("\n\n")
    return Guide(name, title, plain_text(lead), source)
