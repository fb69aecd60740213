"""Writes the parts of other files that repeat declarations of Python: of the web library, of its cases, of the docs."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import orjson

from common.values.enums import EventKind, QualitySignal
from control.reporting.reports.metrics import Metric

ROOT = Path(__file__).resolve().parents[2]
_TOKEN = "AQAA-payload_0.track-tag_1"
_EACH = "the token as it came, for "


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
    document["cases"] = [*map(_token_case, (*EventKind, *QualitySignal)), *others]
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


def _with_metrics(text: str) -> str:
    """*text*: Markdown with a table of metrics."""
    rows = "".join(f"| `{metric}` | {metric.description} |\n" for metric in Metric)
    return re.sub(r"(\| metric \| meaning \|\n\|---\|---\|\n)(?:\|.*\n)*", rf"\g<1>{rows}", text)


GENERATED: Mapping[str, Callable[[str], str]] = {
    "clients/contract/tokens.json": _with_token_cases,
    "clients/web/src/ad.ts": _with_unions,
    "docs/reports.md": _with_metrics,
}
"""The text that each file should have, made from the text it has."""


def main() -> None:
    for name, make in GENERATED.items():
        path = ROOT / name
        path.write_text(make(path.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main()
