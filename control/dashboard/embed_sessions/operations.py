"""The operation of embedding, as the public description shows it."""

from typing import Any

from common.contract.operation import Answer, Auth, Operation
from common.values.errors import ErrorCode
from control.dashboard.embed_sessions.schemas import EmbedSessionCreate, EmbedSessionCreated
from control.foundation.openapi_examples import CAMPAIGN_ID

_BODY: dict[str, Any] = {
    "component": "campaign_edit",
    "origin": "https://app.customer.example",
    "context": {"campaign_id": CAMPAIGN_ID, "locale": "pt-BR", "theme": "dark"},
}
_SESSION: dict[str, Any] = {
    "client_secret": "cs_5yVqJk1Zr0a8mWc3tQ7bX9dF2hL4nP6sU8wYzA1CeEg",
    "url": "https://placard.example/embed?cs=cs_5yVqJk1Zr0a8mWc3tQ7bX9dF2hL4nP6sU8wYzA1CeEg",
    "expires_at": "2026-02-20T12:05:00.000Z",
}

CREATE = Operation(
    id="createEmbedSession",
    method="POST",
    path="/v1/embed/sessions",
    tag="Embedding",
    summary="Create an embed session",
    description=(
        "Embeds a dashboard page in your application, already signed in as this key. Send `url` to the browser that "
        "will open it, in an iframe on `origin`; the browser refuses every other origin. The secret opens the window "
        "once, within five minutes. The window then works for 30 minutes, and ends at once if the key is revoked.\n"
        "\n"
        "`campaign_create` and `campaign_edit` need the scope `campaign:write`, `campaign_list` needs "
        "`campaign:read`, `ad_create` needs `ad:write`, `report_overview` needs `reports:read`. A window can do what "
        "the key can do, limited to what its page is for. The window of a test key writes test objects.\n"
        "\n"
        "The window posts messages `{type, …}` to exactly `origin`. Types: `ready`, `resize {height}`, `saved "
        "{campaign_id}`, `closed`, `error {code, message}`."
    ),
    auth=(Auth.INTEGRATION_KEY,),
    body=EmbedSessionCreate,
    body_example=_BODY,
    answers=(
        Answer(
            201,
            "The session. The secret is shown only once.",
            EmbedSessionCreated,
            example=_SESSION,
        ),
    ),
    errors=(ErrorCode.INSUFFICIENT_SCOPE, ErrorCode.PERMISSION_LOST, ErrorCode.NOT_FOUND),
    creates=True,
    about="embed_session",
)
