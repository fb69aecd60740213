"""Examples of verification for the API description."""

from typing import Any

from control.foundation.openapi_examples import MADE_AT
from control.inventory.domain_verification.problem_messages import message_of, next_of
from control.inventory.properties.examples import PROPERTY

TOKEN = "sav_Q2h5aGVhZGxpZ2h0Y2FuZGxlMzIx"

START_BODY: dict[str, Any] = {"method": "dns"}

STARTED: dict[str, Any] = {
    "method": "dns",
    "token": TOKEN,
    "record": {"type": "TXT", "name": "_service-ad.news.example.com", "value": TOKEN},
    "tag": None,
    "where": "In the DNS of news.example.com, beside any other TXT values of that name.",
}

RESULT: dict[str, Any] = {
    "verified": True,
    "status": "verified",
    "saw": [
        {"source": server, "outcome": "found", "values": [TOKEN], "status": None, "redirects": []}
        for server in ("1.1.1.1", "9.9.9.9")
    ],
    "problem": None,
    "message": "The proof is there.",
    "next": next_of(None),
    "property": PROPERTY
    | {
        "status": "verified",
        "verification": {
            "method": "dns",
            "token": TOKEN,
            "checked_at": MADE_AT,
            "last_error": message_of(None),
        },
        "version": 3,
    },
}
