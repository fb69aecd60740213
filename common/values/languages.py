"""Language tags (BCP 47: RFC 5646), as they are compared (RFC 4647)."""

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
"""A tag in lower case: language, script, region and variants, extensions, private use; or private use alone."""

ANY_CASE: Final = _tag("A-Za-z", "-", not_x="A-WYZa-wyz")
"""As `TAG`, in any case."""

LOCALE: Final = _tag("A-Za-z", "[-_]", not_x="A-WYZa-wyz")
"""As `TAG` in any case, and as systems write locales: ``pt_BR``."""


def without_extensions(tag: str) -> str:
    """
    *tag*, in lower case, as it is matched: ``th-th-u-nu-thai`` is ``th-th``.

    Extensions say how numbers and dates are written, not what is read. What is for private use stays: whoever names it
    means it.
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
    *tag* as BCP 47 writes it (RFC 5646, 2.1.1): ``zh-Hant-TW``, ``pt-BR``. A region is in capitals, a script begins
    with one, all else is in lower case, and so is all behind a single character.
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
