"""
Writes the parts of other files that repeat declarations of Python: of the web library, of the docs, of C, and of the
cases of client libraries. With ``libraries`` it writes those of the libraries for apps instead, as a release does.
"""

import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

from common.values.enums import EventKind, QualitySignal
from control.reporting.reports.metrics import Metric
from edge.request.query import CONSENT, READ
from tests.support.source import source_of

ROOT = Path(__file__).resolve().parents[2]
_TOKEN = "AQAA-payload_0.track-tag_1"
_TRACKED = (*EventKind, *QualitySignal)
_EACH = "the token unchanged, for "


def _with_unions(text: str) -> str:
    """*text*: TypeScript with the unions of what may be tracked."""
    kinds = " | ".join(f'"{kind}"' for kind in EventKind)
    signals = "".join(f'\n  | "{signal}"' for signal in QualitySignal)
    for name, union in (("EventKind", f" {kinds}"), ("QualitySignal", signals)):
        text = re.sub(rf"(export type {name} =)[^;]*;", rf"\g<1>{union};", text)
    return text


def _with_token_cases(text: str) -> str:
    """*text*: cases, of which the first are one for each kind of event."""
    document = orjson.loads(text)
    others = [case for case in document["cases"] if not case["name"].startswith(_EACH)]
    document["cases"] = [*map(_token_case, _TRACKED), *others]
    return orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()


def _token_case(kind: str) -> dict[str, Any]:
    body = {"token": _TOKEN, "event": kind}
    request = {"at_ms": 0, "method": "POST", "path": "/v1/track", "query": {}, "body": body}
    return {
        "name": f"{_EACH}{kind}",
        "given": {
            "publisher_key": "pk_test_0123456789abcdefghijABCDEFGHIJ000000",
            "edge_url": "https://edge.example",
            "consent": {},
        },
        "do": [{"call": "track", **body}],
        "answers": {"track": ["counted"]},
        "expect": {"requests": [request], "outcomes": [{"status": "counted"}]},
        "edge": [{"status": 204, "result": "counted"}],
    }


def _kotlin(text: str) -> str:
    """*text*: Kotlin, with the constants of what may be tracked."""
    cases = "".join(f'    {kind.upper()}("{kind}"),\n' for kind in _TRACKED)
    return re.sub(
        r"(enum class AdEvent\(.*?\) \{\n).*?(?=\})", rf"\g<1>{cases}", text, flags=re.DOTALL
    )


def _swift(text: str) -> str:
    """*text*: Swift, with the cases of what may be tracked."""
    cases = ""
    for kind in _TRACKED:
        stated = "" if _camel(kind) == kind else f' = "{kind}"'
        cases += f"    case {_camel(kind)}{stated}\n"
    return re.sub(r"(enum AdEvent: .*?\{\n).*?(?=\})", rf"\g<1>{cases}", text, flags=re.DOTALL)


def _dart(text: str) -> str:
    """*text*: Dart, with the values of what may be tracked."""
    values = ",\n".join(f"  {_camel(kind)}('{kind}')" for kind in _TRACKED)
    return re.sub(r"(enum AdEvent \{\n)[^;]*", rf"\g<1>{values}", text)


def _camel(kind: str) -> str:
    first, *others = kind.split("_")
    return first + "".join(other.title() for other in others)


def _c_parameters(_: str) -> str:
    """A list in C of the query parameters that `edge.fastpath.serve_cache.head_parts` tells apart."""
    aside = {name.decode() for name in source_of("edge.fastpath.serve_cache.head_parts").ASIDE}
    lists = "".join(
        f"static const Word {name}[] = {{\n{_c_words(words)}    {{NULL, 0}}}};\n"
        for name, words in (("ASIDE", aside), ("READ", READ - aside - CONSENT))
    )
    return (
        f"/* Written by `make openapi`. READ: without those of CONSENT and key-values. */\n{lists}"
    )


def _c_words(words: Iterable[str]) -> str:
    return "".join(f'    WORD("{word}"),\n' for word in sorted(words))


def _with_metrics(text: str) -> str:
    """*text*: Markdown with a table of metrics."""
    rows = "".join(f"| `{metric}` | {metric.description} |\n" for metric in Metric)
    return re.sub(r"(\| metric \| meaning \|\n\|---\|---\|\n)(?:\|.*\n)*", rf"\g<1>{rows}", text)


GENERATED: Mapping[str, Callable[[str], str]] = {
    "clients/contract/tokens.json": _with_token_cases,
    "clients/web/src/ad.ts": _with_unions,
    "edge/fastpath/serve_cache/parameters.inc": _c_parameters,
    "docs/reports.md": _with_metrics,
}
"""The text that each file should have, made from the text it has."""
OF_LIBRARIES: Mapping[str, Callable[[str], str]] = {
    "clients/android/core/src/main/kotlin/placard/core/Outcomes.kt": _kotlin,
    "clients/ios/Sources/PlacardCore/Outcomes.swift": _swift,
    "clients/flutter/lib/src/core/outcomes.dart": _dart,
}
"""The same of libraries that are written for a release."""


def main(arguments: Sequence[str]) -> None:
    for name, make in (OF_LIBRARIES if arguments == ["libraries"] else GENERATED).items():
        path = ROOT / name
        path.write_text(make(path.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
