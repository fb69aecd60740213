"""
Items of a mailing: what is stored of each for repeated requests, and its JSON.

The part that is constant for an ad in a slot is a template, stored once. An item is the template's id and the texts
that fill it, a few hundred bytes. So a repeated request returns the same bytes, whatever changed since.
"""

import base64
import re
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import groupby
from typing import Any, Final

import orjson

from common.contract.email_models import EmailItemStatus
from edge.email.prepare_body import Recipient
from edge.serving.render.email_markup import MARK

_ID_BYTES: Final = 15
_SPLIT: Final = re.compile(f"{MARK}(.)")
_NO_TEMPLATE: Final = "-"
_NOTHING: Final = dict.fromkeys(
    ("ad_id", "campaign_id", "html", "text", "image_url", "click_url", "impression_url", "alt")
)


@dataclass(frozen=True, slots=True)
class ItemTemplate:
    """
    ``id``: the hash of ``text``. ``pieces``: text and, between two of them, the letter of a placeholder. ``ad_id``:
    None where the ad is chosen when the mail is opened.
    """

    id: str
    text: str
    pieces: tuple[str, ...]
    ad_id: str | None

    def fill(self, texts: dict[str, str]) -> str:
        """*texts*: by the letter of their placeholder."""
        pieces = self.pieces
        return "".join([texts[one] if at % 2 else one for at, one in enumerate(pieces)])


def parse_template(text: str) -> ItemTemplate:
    digest = blake2b(text.encode(), digest_size=_ID_BYTES).digest()
    name = base64.urlsafe_b64encode(digest).decode()
    ad_id = orjson.loads("{" + text)["ad_id"]
    return ItemTemplate(name, text, tuple(_SPLIT.split(text)), ad_id)


def item_template(fields: dict[str, Any]) -> ItemTemplate:
    """*fields*: of a filled item, without ref and slot; their texts contain placeholders."""
    whole = {"status": EmailItemStatus.FILLED, **fields}
    return parse_template(orjson.dumps(whole).decode()[1:])


NO_FILL: Final = parse_template(
    orjson.dumps(
        {
            "status": EmailItemStatus.NO_FILL,
            **_NOTHING,
            "width": None,
            "height": None,
            "track_token": None,
        }
    ).decode()[1:]
)


@dataclass(slots=True, eq=False)
class MailItem:
    """One item: a slot in a recipient's mail. ``key``: where it is stored, and the id of its links."""

    recipient: Recipient
    slot: int
    key: uuid.UUID
    stored: bytes = b""


def split_mails(wanted: Sequence[MailItem], count: int) -> Iterator[list[MailItem]]:
    """Yields whole mails, of *count* items or some more."""
    some = list[MailItem]()
    for _, mail in groupby(wanted, key=lambda one: id(one.recipient)):
        some += mail
        if len(some) >= count:
            yield some
            some = []
    if some:
        yield some


@dataclass(frozen=True, slots=True)
class PreparedItem:
    """``template_id``: None for a no fill. ``texts``: URL-safe parts of its URLs, by a letter."""

    expires_ms: int
    template_id: str | None
    texts: dict[str, str]

    def encode(self) -> bytes:
        head = f"{self.expires_ms} {self.template_id or _NO_TEMPLATE}"
        return " ".join([head, *(f"{name}{text}" for name, text in self.texts.items())]).encode()

    def urls(self, base: str) -> dict[str, str]:
        """The texts of the template's placeholders. *base*: URL of the edge."""
        texts = self.texts
        payload = texts.get("a")
        if payload is not None:
            return {
                "t": f"{payload}.{texts['t']}",
                "p": f"{base}/v1/impression/{payload}.{texts['p']}.gif",
                "c": f"{base}/v1/click/{payload}.{texts['c']}",
            }
        if not texts:
            return {}
        image_url = f"{base}/v1/email/image/{texts['i']}"
        return {"i": image_url, "p": image_url, "c": f"{base}/v1/email/click/{texts['c']}"}


def template_id_of(raw: bytes) -> str | None:
    """The template of a stored item; None for a no fill."""
    found = raw.split(b" ", 2)[1].decode()
    return None if found == _NO_TEMPLATE else found


def parse_item(raw: bytes) -> PreparedItem:
    expires, template_id, *texts = raw.decode().split(" ")
    return PreparedItem(
        int(expires),
        None if template_id == _NO_TEMPLATE else template_id,
        {text[0]: text[1:] for text in texts},
    )
