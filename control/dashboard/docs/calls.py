"""The example call of an operation, as a program in each language that the guides have."""

import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import orjson

from control.dashboard.docs.markdown import LANGUAGES

_TOKENS = {
    "accessToken": "at_…",
    "integrationKey": "ak_live_…",
    "secretKey": "sk_live_…",
}
_JSON = "application/json"


@dataclass(frozen=True, slots=True)
class ExampleCall:
    """``body``: JSON, or None where the call has none or its body is no JSON. Names in capitals are to be filled in."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: str | None


@dataclass(frozen=True, slots=True)
class Program:
    """``language``: as code blocks of guides name it; ``label``: as readers know it."""

    language: str
    label: str
    text: str


def programs_of(server: str, method: str, path: str, item: Mapping[str, Any]) -> list[Program]:
    """Calls of the operation *item* of the description."""
    call = _call(server, method, path, item)
    return [Program(name, LANGUAGES[name], write(call)) for name, write in _WRITERS.items()]


def _call(server: str, method: str, path: str, item: Mapping[str, Any]) -> ExampleCall:
    address = re.sub(r"\{(\w+)\}", lambda name: name[1].upper(), server + path)
    content = item.get("requestBody", {}).get("content", {})
    media_type = next(iter(content), "")
    example = content[media_type].get("example") if content else None
    headers, body = _headers(item), None
    if media_type.endswith("json"):
        headers["Content-Type"] = _JSON
        body = orjson.dumps(example, option=orjson.OPT_INDENT_2).decode()
    elif example:
        headers["Content-Type"] = media_type
    return ExampleCall(method, address + _query(item), headers, body)


def _curl(call: ExampleCall) -> str:
    chosen = "" if call.method == "GET" else f"-X {call.method} "
    lines = [f"curl {chosen}{shlex.quote(call.url)}"]
    lines += [f"  -H {shlex.quote(f'{name}: {value}')}" for name, value in call.headers.items()]
    if call.body is not None:
        lines.append(f"  -d {shlex.quote(call.body)}")
    return " \\\n".join(lines)


def _python(call: ExampleCall) -> str:
    lines = ["from urllib.request import Request, urlopen", ""]
    headers = [f"    {_quoted(name)}: {_quoted(value)}," for name, value in call.headers.items()]
    lines += ["headers = {", *headers, "}"] if headers else ["headers = {}"]
    data = ""
    if call.body is not None:
        lines.append(f'body = r"""{call.body}"""')
        data = ", body.encode()"
    chosen = "" if call.method == "GET" else f', method="{call.method}"'
    lines += [
        f"request = Request({_quoted(call.url)}{data}, headers=headers{chosen})",
        "with urlopen(request) as response:",
        "    print(response.read().decode())",
    ]
    return "\n".join(lines)


def _js(call: ExampleCall) -> str:
    lines = [f"const response = await fetch({_quoted(call.url)}, {{"]
    if call.method != "GET":
        lines.append(f'  method: "{call.method}",')
    headers = [f"    {_quoted(name)}: {_quoted(value)}," for name, value in call.headers.items()]
    lines += ["  headers: {", *headers, "  },"] if headers else []
    if call.body is not None:
        shown = "\n  ".join(call.body.splitlines())
        lines.append(f"  body: JSON.stringify({shown}),")
    lines += ["});", "if (!response.ok) throw new Error(await response.text());"]
    return "\n".join([*lines, "console.log(await response.text());"])


_GO = """package main

import (
	"io"
	"log"
	"net/http"
	"os"
	"strings"
)

func main() {{
	body := strings.NewReader({body})
	request, err := http.NewRequest("{method}", {url}, body)
	if err != nil {{
		log.Fatal(err)
	}}
{headers}
	response, err := http.DefaultClient.Do(request)
	if err != nil {{
		log.Fatal(err)
	}}
	defer response.Body.Close()
	io.Copy(os.Stdout, response.Body)
}}"""


def _go(call: ExampleCall) -> str:
    return _GO.format(
        body='""' if call.body is None else f"`{call.body}`",
        method=call.method,
        url=_quoted(call.url),
        headers="\n".join(
            f"\trequest.Header.Set({_quoted(name)}, {_quoted(value)})"
            for name, value in call.headers.items()
        ),
    )


def _php(call: ExampleCall) -> str:
    lines = ["<?php", "", f"$request = curl_init({_single(call.url)});"]
    lines.append("curl_setopt_array($request, [")
    if call.method != "GET":
        lines.append(f"    CURLOPT_CUSTOMREQUEST => '{call.method}',")
    lines += [
        "    CURLOPT_HTTPHEADER => [",
        *(f"        {_single(f'{name}: {value}')}," for name, value in call.headers.items()),
        "    ],",
    ]
    if call.body is not None:
        lines.append(f"    CURLOPT_POSTFIELDS => {_single(call.body)},")
    return "\n".join([*lines, "]);", "curl_exec($request);"])


_WRITERS: Final[Mapping[str, Callable[[ExampleCall], str]]] = {
    "sh": _curl,
    "python": _python,
    "js": _js,
    "go": _go,
    "php": _php,
}


def _quoted(text: str) -> str:
    """A string of JSON, which is one of Python, JavaScript and Go, too."""
    return orjson.dumps(text).decode()


def _single(text: str) -> str:
    """A string of PHP."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _query(item: Mapping[str, Any]) -> str:
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


def _headers(item: Mapping[str, Any]) -> dict[str, str]:
    credential = _credential(item)
    headers = {"Authorization": f"Bearer {_TOKENS[credential]}"} if credential in _TOKENS else {}
    if credential == "serviceKey":
        headers = {"X-Service-Key": "pk_live_…"}
    given = [one for one in item.get("parameters", ()) if one["in"] == "header"]
    names = {one["name"] for one in given}
    if "Idempotency-Key" in names:
        headers["Idempotency-Key"] = "9b2f6c1e-order-1042"
    if any(one["name"] == "If-Match" and one["required"] for one in given):
        headers["If-Match"] = "1"
    return headers


def _credential(item: Mapping[str, Any]) -> str | None:
    """The scheme that the example uses: a publishable key where one may call, otherwise the first."""
    schemes = [name for alternative in item["security"] for name in alternative]
    if "serviceKey" in schemes:
        return "serviceKey"
    return next((name for name in schemes if name in _TOKENS), None)
