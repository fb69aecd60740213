"""The API reference as values: tags and operations of the description, ready for rendering."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from common.values.errors import STATUS, ErrorCode
from control.dashboard.docs.calls import Program, programs_of
from control.dashboard.docs.fields import FieldRow, Schemas
from control.dashboard.docs.text import inline, json_markup, paragraphs

_CALLERS = ("accessToken", "integrationKey", "secretKey", "serviceKey")
"""Credentials by their names in the description. A key in the query is the publishable key of the header."""


@dataclass(frozen=True, slots=True)
class ParameterRow:
    name: str
    place: str
    type: str
    required: bool
    description: Markup
    choices: tuple[str, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Caller:
    """A kind of caller, one of `_CALLERS`, and the scope or permission it needs."""

    name: str
    needs: str


@dataclass(frozen=True, slots=True)
class Success:
    status: str
    description: Markup
    headers: tuple[tuple[str, Markup], ...]
    fields: tuple[FieldRow, ...]
    example: Markup | None


@dataclass(frozen=True, slots=True)
class Failure:
    status: int
    code: str
    meaning: Markup


@dataclass(frozen=True, slots=True)
class OperationPage:
    id: str
    method: str
    path: str
    summary: str
    description: Markup
    plane: str
    callers: tuple[Caller, ...]
    parameters: tuple[ParameterRow, ...]
    body: tuple[FieldRow, ...]
    body_types: tuple[str, ...]
    body_example: Markup | None
    successes: tuple[Success, ...]
    failures: tuple[Failure, ...]
    programs: Sequence[Program]


@dataclass(frozen=True, slots=True)
class TagPage:
    name: str
    slug: str
    description: str
    operations: tuple[OperationPage, ...]


class Reference:
    """*document*: as built by `common.contract.openapi.build`."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._document = document
        self._schemas = Schemas(document["components"]["schemas"])

    def tags(self) -> tuple[TagPage, ...]:
        found = [
            self._operation(method.upper(), path, item)
            for path, methods in self._document["paths"].items()
            for method, item in methods.items()
        ]
        of_tag = {item["operationId"]: item["tags"][0] for item in self._items()}
        return tuple(
            TagPage(
                tag["name"],
                slug_of(tag["name"]),
                tag["description"],
                tuple(one for one in found if of_tag[one.id] == tag["name"]),
            )
            for tag in self._document["tags"]
        )

    def errors(self) -> tuple[Failure, ...]:
        """Every code that the description names, by status."""
        examples = self._document["components"]["examples"]
        found = [self._failure(code, example) for code, example in examples.items()]
        return tuple(sorted(found, key=lambda one: (one.status, one.code)))

    def _items(self) -> list[dict[str, Any]]:
        return [item for methods in self._document["paths"].values() for item in methods.values()]

    def _operation(self, method: str, path: str, item: dict[str, Any]) -> OperationPage:
        servers = item.get("servers", self._document["servers"])
        content = item.get("requestBody", {}).get("content", {})
        media: dict[str, Any] = next(iter(content.values()), {})
        answers = {status: self._resolve(one) for status, one in item["responses"].items()}
        return OperationPage(
            id=item["operationId"],
            method=method,
            path=path,
            summary=item["summary"],
            description=paragraphs(_own_words(item)),
            plane="edge" if "servers" in item else "control",
            callers=_callers(item),
            parameters=tuple(self._parameter(one) for one in item.get("parameters", ())),
            body=self._schemas.fields(media.get("schema", {})),
            body_types=tuple(content),
            body_example=json_markup(media["example"]) if "example" in media else None,
            successes=tuple(
                self._success(status, answer)
                for status, answer in answers.items()
                if status < "400"
            ),
            failures=tuple(
                self._failure(code, example)
                for answer in answers.values()
                for media in answer.get("content", {}).values()
                for code, example in media.get("examples", {}).items()
            ),
            programs=programs_of(servers[0]["url"], method, path, item),
        )

    def _parameter(self, given: dict[str, Any]) -> ParameterRow:
        row = self._schemas.fields({"properties": {given["name"]: given["schema"]}})[0]
        return ParameterRow(
            name=given["name"],
            place=given["in"],
            type=row.type,
            required=given.get("required", False),
            description=inline(given.get("description", "")),
            choices=row.choices,
            notes=row.notes,
        )

    def _success(self, status: str, answer: dict[str, Any]) -> Success:
        media: dict[str, Any] = next(iter(answer.get("content", {}).values()), {})
        headers = {
            name: self._resolve(header).get("description", "")
            for name, header in answer.get("headers", {}).items()
        }
        return Success(
            status=status,
            description=inline(answer["description"]),
            headers=tuple((name, inline(text)) for name, text in headers.items()),
            fields=self._schemas.fields(media.get("schema", {})),
            example=json_markup(media["example"]) if "example" in media else None,
        )

    def _failure(self, code: str, example: dict[str, Any]) -> Failure:
        return Failure(STATUS[ErrorCode(code)], code, inline(self._resolve(example)["summary"]))

    def _resolve(self, item: dict[str, Any]) -> dict[str, Any]:
        while "$ref" in item:
            _, _, kind, name = item["$ref"].split("/", 3)
            item = self._document["components"][kind][name]
        return item


def slug_of(tag: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", tag.lower()).strip("-")


def _callers(item: dict[str, Any]) -> tuple[Caller, ...]:
    needs = item.get("x-permissions", {})
    schemes = [name for alternative in item["security"] for name in alternative]
    return tuple(Caller(name, needs.get(name, "")) for name in schemes if name in _CALLERS)


def _own_words(item: dict[str, Any]) -> str:
    """The description without its last paragraphs, one for each kind of credential, which `callers` shows."""
    paragraphs = item["description"].split("\n\n")
    return "\n\n".join(paragraphs[: len(paragraphs) - len(item.get("x-permissions", ()))])
