"""Wire models of mails with ads: what a sender requests, and the items that it puts into its mails."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field, StringConstraints

from common.contract.models import Timestamp, WireIn, WireOut

MAX_RECIPIENTS = 1000
MAX_EMAIL_SLOTS = 10
MAX_ID_CHARS = 128
MAX_LIFE_DAYS = 30
MAX_KEY_VALUES = 50
MAX_LINK_SIGNAL_BYTES = 1024
"""Of a recipient whose mail's images are chosen later. Some mail clients cut URLs of more than 2 000 characters."""

_Opaque = Annotated[str, StringConstraints(min_length=1, max_length=MAX_ID_CHARS)]
_Slot = Annotated[str, StringConstraints(min_length=1, max_length=64)]
_KeyName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$")]
_Value = Annotated[str, StringConstraints(max_length=MAX_ID_CHARS)]
_Values = Annotated[list[_Value], Field(max_length=MAX_KEY_VALUES)]


class EmailMode(StrEnum):
    PER_SEND = "per_send"
    PER_RECIPIENT = "per_recipient"


class EmailRender(StrEnum):
    FIXED = "fixed"
    ON_OPEN = "on_open"


class EmailConsent(WireIn):
    """Consent signals of all recipients of the call, as the parameters of `GET /v1/serve` with these names."""

    gdpr: str | None = Field(None, description="`1` if the GDPR applies, `0` if not.")
    gdpr_consent: str | None = Field(None, description="IAB TCF consent string.")
    gpp: str | None = Field(None, description="IAB GPP string.")
    gpp_sid: str | None = Field(None, description="Ids of the GPP sections that apply.")
    us_privacy: str | None = Field(None, description="IAB US Privacy string.")
    coppa: str | None = Field(None, description="`1` for children.")
    lgpd: str | None = Field(
        None, description="`1` if the recipients consented under the LGPD, `0` if not."
    )
    npa: str | None = Field(None, description="`1` for ads that are not personalised.")


class EmailRecipient(WireIn):
    """No field may contain an e-mail address."""

    ref: _Opaque = Field(
        description="Your own id of this recipient in this send, to match the items. Unique within the call."
    )
    uid: _Opaque | None = Field(
        None,
        description=(
            "Your own opaque id of the person, the same in every send: frequency caps count by it. Leave it out if "
            "the person's data may not be used."
        ),
    )
    country: str | None = Field(
        None,
        min_length=2,
        max_length=2,
        description="ISO 3166-1 country code, for targeting.",
        examples=["BR"],
    )
    lang: str | None = Field(
        None, max_length=100, description="Languages as in `Accept-Language`.", examples=["pt-BR"]
    )
    kv: dict[_KeyName, _Value | _Values] = Field(
        default_factory=dict,
        max_length=MAX_KEY_VALUES,
        description=(
            f"Key-values for targeting, as `kv.NAME` of `GET /v1/serve`: at most {MAX_KEY_VALUES} values in all. With "
            f"`render` `on_open` the whole recipient has at most {MAX_LINK_SIGNAL_BYTES} bytes as JSON."
        ),
    )


class EmailPrepareBody(WireIn):
    """Either `slot` or `slots`."""

    slot: _Slot | None = Field(None, description="Key or id of a slot with the format `email`.")
    slots: list[_Slot] | None = Field(
        None,
        min_length=1,
        max_length=MAX_EMAIL_SLOTS,
        description=(
            "Several slots of one mail. No advertiser appears in two of them, except a sponsor that takes them "
            "together. With `render` `on_open` each image is chosen apart."
        ),
    )
    send_id: _Opaque = Field(
        description="Your own id of this mailing. All calls of a mailing have the same.",
        examples=["2026-08-31-daily"],
    )
    mode: EmailMode = Field(
        EmailMode.PER_RECIPIENT,
        description=(
            "`per_recipient`: an ad is chosen for each recipient. `per_send`: one ad a slot for all of them; what the "
            "recipients are like does not choose it."
        ),
    )
    render: EmailRender = Field(
        EmailRender.FIXED,
        description=(
            "`fixed`: the ad is chosen now. `on_open`: `image_url` and `click_url` choose it when the mail is opened; "
            "it needs `recipients`."
        ),
    )
    recipients: list[EmailRecipient] | None = Field(
        None,
        min_length=1,
        max_length=MAX_RECIPIENTS,
        description=(
            "Up to 1,000; split a larger mailing into several calls. With `per_send` they may be left out: one item a "
            "slot, for all copies of the mail."
        ),
    )
    expires_in_days: int = Field(
        MAX_LIFE_DAYS,
        ge=1,
        le=MAX_LIFE_DAYS,
        description="For how long impressions and clicks count.",
    )
    consent: EmailConsent | None = Field(
        None,
        description=(
            "Consent signals of the recipients. Without it, a `uid` states that the person's data may be used for "
            "frequency caps."
        ),
    )


class EmailItemStatus(StrEnum):
    FILLED = "filled"
    NO_FILL = "no_fill"


class EmailItem(WireOut):
    """One slot of one recipient's mail. A `no_fill` item has nothing to show: all other fields are null."""

    ref: str | None = Field(
        description="The recipient's `ref`; null if no recipients were sent.",
    )
    slot: str = Field(description="The slot as in the request.")
    status: EmailItemStatus
    ad_id: str | None = Field(description="Null with `on_open`, too: it is not chosen yet.")
    campaign_id: str | None
    html: str | None = Field(
        description="Markup for the HTML part of the mail, impression pixel included. Insert it unchanged."
    )
    text: str | None = Field(description="For the plain-text part of the mail, link included.")
    image_url: str | None = Field(description="The ad's image.")
    click_url: str | None = Field(description="Redirect to the ad's destination.")
    impression_url: str | None = Field(
        description="Impression pixel, part of `html`. Null with `on_open`, where `image_url` counts."
    )
    alt: str | None = Field(description="The image's alternative text.")
    width: int | None = Field(description="Of the image, in pixels.")
    height: int | None
    track_token: str | None = Field(
        description="Token for `POST /v1/track`; null with `on_open`, and without `recipients`."
    )


class EmailPrepared(WireOut):
    send_id: str
    expires_at: Timestamp = Field(
        description="When the first of the items expires: events after that do not count."
    )
    items: list[EmailItem] = Field(
        description="Recipients in the order sent, and within each the slots in the order sent."
    )
    filled: int = Field(description="Number of items with an ad.")
    no_fill: int = Field(description="Number of items without one.")
