"""Verifies that a property's domain belongs to its account: what to publish, and what was found."""

from collections.abc import Mapping
from typing import Any

from control.dashboard.page_request import PageRequest
from control.inventory.domain_verification import operations
from control.inventory.domain_verification.rows import to_started
from control.inventory.domain_verification.verification_state import DomainProof, Method


def published_of(shown: Mapping[str, Any]) -> dict[str, Any] | None:
    """What the owner of a property (as the API shows it) has to publish; None before a method was chosen."""
    query = shown["verification"]
    if query["method"] is None or query["token"] is None or shown["domain"] is None:
        return None
    proof = DomainProof(Method(query["method"]), query["token"])
    return to_started(proof, shown["domain"]).model_dump(mode="json")


async def start(view: PageRequest, property_id: str) -> None:
    body = {"method": view.form_field("method")}
    await view.call(operations.START, path={"id": property_id}, body=body)


async def check(view: PageRequest, property_id: str) -> dict[str, Any]:
    """What was found, whether it proves anything or not. This can take up to 20 seconds."""
    result: dict[str, Any] = await view.call(operations.VERIFY, path={"id": property_id})
    return result
