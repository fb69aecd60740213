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
    """What the window starts with."""

    campaign_id: Id | None = Field(
        None,
        description=(
            "`campaign_edit` and `ad_create` take it: the window is about this campaign and no other. Absent: the "
            "reader chooses."
        ),
    )
    external_ref: ExternalRef | None = Field(
        None, description="Of a campaign that the window creates: its reference in your system."
    )
    locale: Locale | None = Field(
        None, description="Like `pt-BR`; absent: the browser's. What is not spoken is English."
    )
    theme: Theme | None = Field(None, description="Absent: as the reader's system has it.")


class EmbedSessionCreate(WireIn):
    component: Component = Field(description="What the window shows.")
    origin: Origin
    context: EmbedContext = Field(default_factory=EmbedContext)


class EmbedSessionCreated(WireOut):
    client_secret: str = Field(description="Opens the window once.")
    url: str = Field(description="Where the browser opens it, in a frame of the origin.")
    expires_at: Timestamp = Field(description="When the secret ends, if it was not used.")
