"""The document as tests read it: its operations with every reference followed."""

from dataclasses import dataclass
from functools import cache
from typing import Any

import orjson

from common.contract.edge import EDGE_OPERATIONS
from common.contract.operation import Operation
from control.api.openapi import description
from control.processes.app import OPERATIONS


@dataclass(frozen=True, slots=True)
class Described:
    """``item`` is the document's; ``operation`` is what it was made from."""

    operation: Operation
    item: dict[str, Any]

    @property
    def name(self) -> str:
        return self.operation.id

    @property
    def responses(self) -> dict[str, dict[str, Any]]:
        return {status: resolve(answer) for status, answer in self.item["responses"].items()}

    @property
    def failures(self) -> dict[str, dict[str, Any]]:
        return {
            status: answer for status, answer in self.responses.items() if "400" <= status < "600"
        }

    @property
    def parameters(self) -> dict[str, dict[str, Any]]:
        return {given["name"]: given for given in map(resolve, self.item.get("parameters", ()))}


@cache
def document() -> dict[str, Any]:
    found: dict[str, Any] = orjson.loads(description(OPERATIONS))
    return found


def all_described() -> list[Described]:
    made_from = {operation.id: operation for operation in (*OPERATIONS, *EDGE_OPERATIONS)}
    return [
        Described(made_from[item["operationId"]], item)
        for methods in document()["paths"].values()
        for item in methods.values()
    ]


def resolve(item: dict[str, Any]) -> dict[str, Any]:
    """*item*, or what its ``$ref`` names."""
    while "$ref" in item:
        here: Any = document()
        for step in item["$ref"].removeprefix("#/").split("/"):
            here = here[step]
        item = here
    return item
