"""Embed sessions on the wire."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field, StringConstraints

from common.contract.models import Timestamp, WireIn, WireOut
from common.values.languages import LOCALE, MAX_TAG_CHARS
from control.dashboard.embed_sessions.components import Component
from control.dashboard.embed_sessions.origins import Origin
from control.demand.campaigns.schemas import ExternalRef
from control.foundation.wire_types import Id

Locale = Annotated[str, StringConstraints(pattern=LOCALE, max_length=MAX_TAG_CHARS)]


class Theme(StrEnum):
    LIGHT = "light"
    DARK = "dark"


class EmbedContext(WireIn):
    """Initial state of the window."""

    campaign_id: Id | None = Field(
        None,
        description=(
            "For `campaign_edit` and `ad_create`: limits the window to this campaign. Omitted: the user chooses one."
        ),
    )
    external_ref: ExternalRef | None = Field(
        None, description="`external_ref` of a campaign that the window creates."
    )
    locale: Locale | None = Field(
        None,
        description="Language such as `pt-BR`. Default: the browser's. Unsupported languages fall back to English.",
    )
    theme: Theme | None = Field(None, description="Default: the system setting of the user.")


class EmbedSessionCreate(WireIn):
    component: Component = Field(description="The page to show.")
    origin: Origin
    context: EmbedContext = Field(default_factory=EmbedContext)


class EmbedSessionCreated(WireOut):
    client_secret: str = Field(description="Opens the window once.")
    url: str = Field(description="URL to open in an iframe on `origin`.")
    expires_at: Timestamp = Field(description="Expiry of the secret, unless it was used.")
