"""Language tags (BCP 47: RFC 5646) and the forms in which they are compared (RFC 4647)."""

from typing import Final

MAX_TAG_CHARS: Final = 64
_REGION_CHARS: Final = 2
_SCRIPT_CHARS: Final = 4


def _tag(letters: str, dash: str, *, not_x: str) -> str:
    language = f"[{letters}]{{2,3}}({dash}[{letters}0-9]{{2,8}})*"
    extensions = f"({dash}[0-9{not_x}]({dash}[{letters}0-9]{{2,8}})+)*"
    private = f"[{'xX' if 'A' in letters else 'x'}]({dash}[{letters}0-9]{{1,8}})+"
    return f"^({language}{extensions}({dash}{private})?|{private})$"


TAG: Final = _tag("a-z", "-", not_x="a-wyz")
"""A lower-case tag: language, script, region and variants, extensions, private use; or private use alone."""

ANY_CASE: Final = _tag("A-Za-z", "-", not_x="A-WYZa-wyz")
"""Like `TAG`, in any case."""

LOCALE: Final = _tag("A-Za-z", "[-_]", not_x="A-WYZa-wyz")
"""Like `TAG` in any case, and also in the form of system locales: ``pt_BR``."""


def without_extensions(tag: str) -> str:
    """
    Returns the lower-case *tag* in the form used for matching: ``th-th-u-nu-thai`` becomes ``th-th``.

    Extensions describe how numbers and dates are written, not which language is read. Private-use parts are kept,
    because they are always deliberate.
    """
    first, *rest = tag.split("-")
    if len(first) == 1:
        return tag
    kept, inside = [first], False
    for number, part in enumerate(rest):
        if part == "x":
            return "-".join([*kept, *rest[number:]])
        inside = inside or len(part) == 1
        if not inside:
            kept.append(part)
    return "-".join(kept)


def as_written(tag: str) -> str:
    """
    Returns *tag* in the case that BCP 47 recommends (RFC 5646, 2.1.1): ``zh-Hant-TW``, ``pt-BR``. A region is in
    capitals, and a script begins with a capital. Everything else is in lower case, as is everything after a single
    character.
    """
    written: list[str] = []
    for part in tag.lower().split("-"):
        follows_single = any(len(before) == 1 for before in written)
        if not written or follows_single or len(part) not in {_REGION_CHARS, _SCRIPT_CHARS}:
            written.append(part)
        elif len(part) == _REGION_CHARS:
            written.append(part.upper())
        else:
            written.append(part.title() if part.isalpha() else part)
    return "-".join(written)
