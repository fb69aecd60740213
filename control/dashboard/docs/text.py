"""Text of the description as markup: its simple Markdown, JSON with highlighted parts, and shell calls."""

import re
import shlex
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
_TOKENS = {
    "accessToken": "at_…",
    "integrationKey": "ak_live_…",
    "secretKey": "sk_live_…",
}


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


def curl(server: str, method: str, path: str, item: dict[str, Any]) -> str:
    """A call of the operation *item* that works once the names in capitals are filled in."""
    address = re.sub(r"\{(\w+)\}", lambda name: name[1].upper(), server + path)
    lines = [
        f"curl {'' if method == 'GET' else f'-X {method} '}{shlex.quote(address + _query(item))}"
    ]
    lines += [f"  -H {shlex.quote(header)}" for header in _headers(item)]
    content = item.get("requestBody", {}).get("content", {})
    for media_type, media in list(content.items())[:1]:
        lines += _body(media_type, media.get("example"))
    return " \\\n".join(lines)


def _query(item: dict[str, Any]) -> str:
    """The required parameters, and the environment where the call is a user's: a key has its own."""
    named = {
        given["name"]: str(given.get("example") or given["name"].upper())
        for given in item.get("parameters", ())
        if given["in"] == "query" and given.get("required")
    }
    names = {given["name"] for given in item.get("parameters", ())}
    if "environment" in names and _credential(item) == "accessToken":
        named["environment"] = "live"
    return "".join(
        f"{'&' if number else '?'}{k}={v}" for number, (k, v) in enumerate(named.items())
    )


def _headers(item: dict[str, Any]) -> list[str]:
    credential = _credential(item)
    headers = [f"Authorization: Bearer {_TOKENS[credential]}"] if credential in _TOKENS else []
    if credential == "serviceKey":
        headers = ["X-Service-Key: pk_live_…"]
    given = [one for one in item.get("parameters", ()) if one["in"] == "header"]
    names = {one["name"] for one in given}
    if "Idempotency-Key" in names:
        headers.append("Idempotency-Key: 9b2f6c1e-order-1042")
    if any(one["name"] == "If-Match" and one["required"] for one in given):
        headers.append("If-Match: 1")
    return headers


def _credential(item: dict[str, Any]) -> str | None:
    """The scheme that the example uses: a publishable key where one may call, otherwise the first."""
    schemes = [name for alternative in item["security"] for name in alternative]
    if "serviceKey" in schemes:
        return "serviceKey"
    return next((name for name in schemes if name in _TOKENS), None)


def _body(media_type: str, example: Any) -> list[str]:
    if not media_type.endswith("json"):
        return [f"  -H {shlex.quote('Content-Type: ' + media_type)}"] if example else []
    sent = orjson.dumps(example, option=orjson.OPT_INDENT_2).decode()
    return ["  -H 'Content-Type: application/json'", f"  -d {shlex.quote(sent)}"]
