"""
The guides as values: one Markdown file each below ``guides/``, in the order in which they are read.

A translation is a file of the same name in the folder of its language. It has no code: ``{{ examples }}`` in it is
replaced by the next examples of the English guide. A guide without a translation is shown in English.

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
from control.foundation.languages import ENGLISH, LANGUAGES, tag_of

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
    "import",
)
_REFERENCE = "reference:"
_GUIDES = _HERE / "guides"
_CODE = re.compile(r"(?:^```\w+\n(?:.*\n)*?```\n\n?)+", re.MULTILINE)
_EXAMPLES = re.compile(r"^\{\{ examples \}\}$", re.MULTILINE)
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")

TEST_KEY: Final = "pk_test_…"
EDGE_TEST: Final = "https://edge-test.example"
EDGE_LIVE: Final = "https://edge.example"
CONTROL: Final = "https://placard.example"


@dataclass(frozen=True, slots=True)
class Guide:
    """``name`` is in its address. ``lead``: the first paragraph, as plain text. ``language``: of `LANGUAGES`."""

    name: str
    language: str
    title: str
    lead: str
    source: str

    @property
    def path(self) -> str:
        return f"/docs/guides/{self.name}"

    @property
    def tag(self) -> str:
        """As in HTML's ``lang`` attribute."""
        return tag_of(self.language)


@lru_cache(maxsize=len(LANGUAGES))
def list_guides(language: str = ENGLISH) -> tuple[Guide, ...]:
    return tuple(_read(name, language) for name in _ORDER)


def guide_html(guide: Guide, operations: Iterable[Operation], values: dict[str, str]) -> Markup:
    """The guide below its title. *operations*: of the control plane. *values*: of placeholders."""
    addresses = {one.id: operation_path(one) for one in (*EDGE_OPERATIONS, *operations)}

    def resolve(target: str) -> str:
        if target.startswith(_REFERENCE):
            return addresses[target.removeprefix(_REFERENCE)]
        return f"/docs/guides/{Path(target).stem}" if target.endswith(".md") else target

    _, _, body = guide.source.partition("\n")
    return fill_in(markdown_html(body, resolve), values)


def operation_path(operation: Operation) -> str:
    """Its place in the reference."""
    return f"/docs/{slug_of(operation.tag)}#{operation.id}"


@dataclass(frozen=True, slots=True)
class ChangelogPart:
    """The changes of one kind in one version, which together would be too long for a page. ``name``: in its address."""

    name: str
    version: str
    kind: str
    source: str

    @property
    def path(self) -> str:
        return f"/docs/changelog/{self.name}"

    @property
    def html(self) -> Markup:
        """Links lead to files of the source, so only their texts are shown."""
        return markdown_html(_LINK.sub(r"\1", self.source), str)


@lru_cache(maxsize=1)
def list_changelog() -> tuple[ChangelogPart, ...]:
    return parse_changelog(_CHANGELOG.read_text("utf-8"))


def parse_changelog(text: str) -> tuple[ChangelogPart, ...]:
    """The newest version first, and its kinds in the order of the file."""
    _, *versions = re.split(r"^## ", text, flags=re.MULTILINE)
    return tuple(part for version in versions for part in _parts_of(version))


def _parts_of(text: str) -> Iterable[ChangelogPart]:
    version, _, rest = text.partition("\n")
    for each in re.split(r"^### ", rest, flags=re.MULTILINE)[1:]:
        kind, _, changes = each.partition("\n")
        number = version.partition(" ")[0].strip("[]")
        name = f"{number}-{slug_of(kind)}".lower()
        yield ChangelogPart(name, version, kind, changes)


def examples_of(source: str) -> list[str]:
    """Consecutive code blocks are one set of examples."""
    return [found[0].rstrip("\n") for found in _CODE.finditer(source)]


def _read(name: str, language: str) -> Guide:
    source = (_GUIDES / f"{name}.md").read_text("utf-8")
    translation = _GUIDES / language / f"{name}.md"
    if translation.is_file():
        examples = iter(examples_of(source))
        source = _EXAMPLES.sub(lambda _: next(examples), translation.read_text("utf-8"))
    else:
        language = ENGLISH
    title, _, rest = source.removeprefix("# ").partition("\n")
    lead, _, _ = rest.strip().partition("\n\n")
    return Guide(name, language, title, plain_text(lead), source)
