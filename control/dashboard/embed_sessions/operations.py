"""The operation of embedding, as the public description shows it."""

from common.contract.operation import Answer, Auth, Operation, Plane
from common.values.errors import ErrorCode
from control.dashboard.embed_sessions.examples import EMBED_BODY, EMBED_SESSION
from control.dashboard.embed_sessions.schemas import EmbedSessionCreate, EmbedSessionCreated

CREATE = Operation(
    id="createEmbedSession",
    method="POST",
    path="/v1/embed/sessions",
    plane=Plane.CONTROL,
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
    body_example=EMBED_BODY,
    answers=(
        Answer(
            201,
            "The session. The secret is shown only once.",
            EmbedSessionCreated,
            example=EMBED_SESSION,
        ),
    ),
    errors=(ErrorCode.INSUFFICIENT_SCOPE, ErrorCode.PERMISSION_LOST, ErrorCode.NOT_FOUND),
    creates=True,
    about="embed_session",
)
