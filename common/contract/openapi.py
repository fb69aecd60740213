"""
Builds the OpenAPI 3.1 document from the same operations and models that serve the requests.

It is deterministic: the same registry gives the same bytes, so that a comparison finds a stale committed copy.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import orjson
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from common.contract.field_descriptions import describe_fields
from common.contract.formats import with_formats
from common.contract.models import ErrorEnvelope
from common.contract.names import SCHEMAS, enum_names, named, renamed
from common.contract.openapi_answers import (
    error_examples,
    error_responses,
    headers_of,
    responses_of,
)
from common.contract.openapi_parameters import parameters_of
from common.contract.operation import Auth, Operation, Plane
from common.service.version import VERSION

_REF = SCHEMAS + "{model}"

_DESCRIPTION = """\
Placard is an ad server. An edge decides which ad goes into a slot, and a control plane manages campaigns, ads,
properties, slots, keys and events.

Every error response is `{"error": {"code", "message"}}`, on both planes. Lists are
`{"data", "has_more", "next_cursor"}`. Ids are UUIDs, timestamps UTC ISO 8601 with milliseconds, money integer cents.
Clients must tolerate new fields and new enum values: within `/v1`, changes only add.

A **visitor** is the person who sees or hears an ad: on a page, in an app, in a mail. A **user** signs in to an account.

Every response has `X-Request-Id`. Every control plane response to an accepted credential has `RateLimit` and
`RateLimit-Policy`. Every 401 has `WWW-Authenticate`. Error responses below list only their additional headers."""

_TAGS = {
    "Delivery": "Requesting ads. Edge.",
    "Tracking": "Counting impressions, clicks and conversions, by request, pixel or redirect. Edge.",
    "Accounts": "Creating an account, its settings, and the accounts you belong to.",
    "Members": "People in an account, and invitations.",
    "Audit log": "The log of changes: who changed what, and when.",
    "Privacy": "Access and erasure requests about personal data.",
    "Sign-in": "Getting and renewing access tokens; passwords and addresses.",
    "Second factor": "Second factor: authenticator app and recovery codes.",
    "Sessions": "Your active sessions, and how to end them.",
    "Identity": "The caller's identity and permissions.",
    "Properties": "Registered sites and apps.",
    "Slots": "Places on a property, each of which shows one ad.",
    "Keys": "SDK keys and integration keys.",
    "Campaigns": "Campaigns: budget, bid, targeting, dates and delivery.",
    "Ads": "Ads: what a campaign shows.",
    "Wallet": "Account balance: top-ups, spend and earnings.",
    "Billing": "Subscription and invoices.",
    "Payouts": "Publisher earnings and payouts.",
    "Assets": "Files used in ads: images, audio, video, HTML.",
    "Decisions": "Explanations of ad decisions.",
    "Platform": "Edge fleet status: snapshot propagation and event reconciliation.",
    "Reports": "Delivery reports, saved views and exports.",
    "Embedding": "Dashboard pages embedded in your own application.",
    "Integration": "The events feed, and the health of an integration.",
    "Description": "The OpenAPI description.",
}

_SECURITY_SCHEMES: dict[str, dict[str, str]] = {
    "serviceKey": {
        "type": "apiKey",
        "in": "header",
        "name": "X-Service-Key",
        "description": "A publishable key (`pk_…`).",
    },
    "serviceKeyInQuery": {
        "type": "apiKey",
        "in": "query",
        "name": "key",
        "description": "A publishable key in the URL, which avoids a CORS preflight. No other kind of key.",
    },
    "secretKey": {
        "type": "http",
        "scheme": "bearer",
        "description": "A secret key (`sk_…`), for servers only.",
    },
    "integrationKey": {
        "type": "http",
        "scheme": "bearer",
        "description": "An integration key (`ak_…`), which acts for its creator within its scopes.",
    },
    "accessToken": {
        "type": "http",
        "scheme": "bearer",
        "description": "An access token (`at_…`) of a signed-in user, from `POST /v1/auth/token`.",
    },
}

_SCHEME = {
    Auth.PUBLISHABLE_KEY: "serviceKey",
    Auth.SECRET_KEY: "secretKey",
    Auth.INTEGRATION_KEY: "integrationKey",
    Auth.ACCESS_TOKEN: "accessToken",
}
_NEED = {
    Auth.PUBLISHABLE_KEY: "A publishable key needs `{}`.",
    Auth.SECRET_KEY: "A secret key needs `{}`.",
    Auth.INTEGRATION_KEY: "An integration key needs the scope `{}`, and its creator the permission.",
    Auth.ACCESS_TOKEN: "A signed-in user needs the permission `{}`.",
}


def build(
    operations: Iterable[Operation], *, control_url: str, edge_live_url: str, edge_test_url: str
) -> dict[str, Any]:
    """Returns the document; the URLs are the servers of the control plane and of the two edges."""
    listed = list(operations)
    schemas = _schemas(listed)
    edge = {"servers": _edge_servers(edge_live_url, edge_test_url)}
    paths: dict[str, dict[str, Any]] = {}
    for operation in listed:
        servers = {} if operation.plane is Plane.CONTROL else edge
        item = _operation_item(operation, schemas) | servers
        paths.setdefault(operation.path, {})[operation.method.lower()] = item
    used = {operation.tag for operation in listed}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Placard",
            "version": VERSION,
            "summary": "Self-hosted ad server.",
            "description": _DESCRIPTION,
            "contact": {"name": "Placard", "url": "https://placard.example"},
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": control_url, "description": "The control plane (`{base_url}`)."}],
        "tags": [{"name": n, "description": d} for n, d in _TAGS.items() if n in used],
        "paths": dict(sorted(paths.items())),
        "components": {
            "schemas": schemas.components,
            "responses": error_responses(listed),
            "headers": headers_of(listed),
            "examples": error_examples(listed),
            "securitySchemes": _SECURITY_SCHEMES,
        },
    }


def encode(document: dict[str, Any]) -> bytes:
    """Returns the committed form: two spaces, keys in the order built, a newline at the end."""
    return orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


@dataclass(frozen=True, slots=True)
class _Schemas:
    """
    ``refs``: references to the models of requests and responses. ``inline``: schemas of query models and forms, which
    generators need in place.
    """

    refs: dict[type[BaseModel], dict[str, Any]]
    inline: dict[type[BaseModel], dict[str, Any]]
    components: dict[str, Any]


def _schemas(operations: list[Operation]) -> _Schemas:
    bodies = {o.described_body for o in operations if o.described_body is not None}
    in_place = {model for o in operations for model in (o.query, o.form) if model is not None}
    outputs = {a.model for o in operations for a in o.answers if a.model is not None}
    wanted: list[tuple[type[BaseModel], Any]] = [
        *((model, "validation") for model in sorted(bodies | in_place, key=lambda m: m.__name__)),
        *((model, "serialization") for model in sorted(outputs, key=lambda m: m.__name__)),
        (ErrorEnvelope, "serialization"),
    ]
    refs, definitions = models_json_schema(wanted, ref_template=_REF)
    by_model = {
        model: renamed(schema)
        for (model, _), schema in refs.items()
        if issubclass(model, BaseModel)
    }
    components = {
        name: _with_enum_names(name, with_formats(schema))
        for name, schema in named(definitions["$defs"]).items()
    }
    queries = {_named_by(by_model[o.query]) for o in operations if o.query is not None}
    components |= describe_fields(
        {name: schema for name, schema in components.items() if name not in queries}
    )  # parameters have descriptions of their own by name
    inline = {model: components[_named_by(by_model[model])] for model in in_place}
    for model in in_place:
        components.pop(_named_by(by_model[model]), None)  # equal models share one
    return _Schemas(by_model, inline, components)


def _named_by(reference: dict[str, Any]) -> str:
    return str(reference["$ref"]).removeprefix(SCHEMAS)


def _with_enum_names(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    if "enum" not in schema:
        return schema
    return schema | {"x-enum-varnames": enum_names(name, schema["enum"])}


def _operation_item(operation: Operation, schemas: _Schemas) -> dict[str, Any]:
    refs = schemas.refs
    item: dict[str, Any] = {
        "operationId": operation.id,
        "tags": [operation.tag],
        "summary": operation.summary,
        "description": _description(operation),
        "security": _security(operation),
    }
    if operation.deprecated is not None:
        item |= operation.deprecated.described
    if operation.needs:
        item["x-permissions"] = {
            _SCHEME[auth]: need.value for auth, need in operation.needs.items()
        }
    query = {} if operation.query is None else schemas.inline[operation.query]
    parameters = parameters_of(operation, query)
    if parameters:
        item["parameters"] = parameters
    if operation.described_body is not None:
        media: dict[str, Any] = {"schema": refs[operation.described_body]}
        if operation.body_example is not None:
            media["example"] = operation.body_example
        item["x-max-body-bytes"] = operation.max_body_bytes
        item["requestBody"] = {
            "description": _about_body(operation),
            "required": True,
            "content": dict.fromkeys(operation.body_media_types, media),
        }
        if operation.form is not None:
            parts = _parts(schemas.inline[operation.form])
            form = {"schema": parts, "example": operation.form_example}
            item["requestBody"]["content"]["multipart/form-data"] = form
    item["responses"] = responses_of(operation, refs)
    return item


def _parts(form: dict[str, Any]) -> dict[str, Any]:
    """
    Describes the parts of *form* in words. For a form beside JSON, some generators import a model that they do not
    generate by default.
    """
    required = set(form.get("required", ()))
    parts = [
        f"`{name}`{' (required)' if name in required else ''}: {field.get('description', '')}"
        for name, field in form["properties"].items()
    ]
    return {"type": "object", "description": "Parts: " + " ".join(parts)}


def _description(operation: Operation) -> str:
    """Returns the operation's description, with the permission that each kind of credential needs."""
    text = operation.description or operation.summary + "."
    if operation.deprecated is not None:
        text = f"{operation.deprecated.words}\n\n{text}"
    needs = [_NEED[auth].format(need) for auth, need in operation.needs.items()]
    return "\n\n".join([text, *needs])


def _about_body(operation: Operation) -> str:
    file = " A file has its own limit." if operation.form is not None else ""
    return (
        f"At most {operation.max_body_bytes:,} bytes, after decoding; more returns 413 `payload_too_large`.{file} "
        "`Content-Encoding` can be `gzip` or `deflate`, and the body can be chunked."
    )


def _security(operation: Operation) -> list[dict[str, list[str]]]:
    """Alternatives: any one of them is enough."""
    found: list[dict[str, list[str]]] = [{_SCHEME[auth]: []} for auth in operation.auth]
    if Auth.PUBLISHABLE_KEY in operation.auth:
        found.insert(1, {"serviceKeyInQuery": []})
    return found


def _edge_servers(live_url: str, test_url: str) -> list[dict[str, Any]]:
    """
    Lists both edges by their addresses, then the edge with a variable: some generators pick a server by its position
    and leave its variables unresolved.
    """
    variable = {
        "enum": [live_url, test_url],
        "default": live_url,
        "description": "Base URL of the live edge or the test edge.",
    }
    return [
        {"url": live_url, "description": "The live edge."},
        {"url": test_url, "description": "The test edge."},
        {
            "url": "{edge_url}",
            "description": "Either edge, through a variable.",
            "variables": {"edge_url": variable},
        },
    ]
