"""Mails in the language of the user who gets them: one layout, the same text with and without HTML."""

from collections.abc import Callable
from datetime import UTC, date, datetime

import httpx
import pytest
from playwright.async_api import Browser
from selectolax.lexbor import LexborHTMLParser

from common.values.messages import Message
from common.values.money import Amount
from control.api.mail.kinds import MailKind
from control.api.mail.letter import Letter, Recipient, write_letter
from control.billing.invoicing.mails import Ending, invoice_letter, subscription_letter
from control.foundation.languages import LANGUAGES, Language, tag_of
from control.identity.members.invitations import invitation_letter
from control.identity.users import mails
from control.inventory.api_keys.reminders import rotation_letter
from control.inventory.domain_verification.check_result import Problem
from control.inventory.domain_verification.mails import Notice, notice_letter
from control.inventory.domain_verification.problem_messages import message_of
from control.inventory.properties.mails import payout_letter
from control.storage.tables.members import InvitationRow
from control.storage.tables.properties import KeyRow, PropertyRow
from tests.support.control_api import ControlApi, Person
from tests.support.mailbox import VERIFY, mails_to, text_of

_URL = "https://ads.example"
_NOW = datetime(2026, 3, 4, tzinfo=UTC)
_ENDING = Ending(_NOW, _NOW, Amount(123_450, "BRL"))
_PROPERTY = PropertyRow(
    id="p",
    account_id="a",
    name="News",
    kind="web",
    domain="news.example",
    status="verified",
    timezone="UTC",
    consent_policy="required",
    token_ttl_seconds=3_600,
)
_OLD_KEY = KeyRow(
    id="k",
    account_id="a",
    property_id="p",
    name="Server",
    kind="secret",
    environment="live",
    hash=b"",
    last4="1a2b",
    created_by="user:u",
    created_at=_NOW,
)
_MISSING = message_of(Problem.RECORD_MISSING) or ""
_STRANGERS_WORDS = "Claim your prize"


def _property_named(name: str) -> PropertyRow:
    return PropertyRow(
        **_PROPERTY.model_dump(exclude={"name", "payout"}),
        name=name,
        payout={"payee": name, "share_percent": 1},
    )


def _invitation(name: str) -> Letter:
    row = InvitationRow(
        id="i",
        account_id="a",
        email="bruno@example.com",
        role="analyst",
        token_hash=b"",
        invited_by="u",
        expires_at=_NOW,
    )
    return invitation_letter(row, "secret", name, f"{name} & Co", _URL)


def _notice(notice: Notice, name: str) -> Letter:
    return notice_letter(_property_named(name), notice, _MISSING)


_WITH_NAMES: dict[MailKind, Callable[[str], Letter]] = {
    MailKind.INVITATION: _invitation,
    MailKind.KEYS_TO_ROTATE: lambda name: rotation_letter(
        [KeyRow(**_OLD_KEY.model_dump(exclude={"name"}), name=name)], _URL
    ),
    MailKind.PAYOUT_CHANGED: lambda name: payout_letter(
        _property_named(name), {"payee": None, "share_percent": 0}
    ),
    MailKind.VERIFICATION_FAILING: lambda name: _notice(Notice.WARNED, name),
    MailKind.VERIFICATION_LOST: lambda name: _notice(Notice.LOST, name),
    MailKind.VERIFICATION_MOVED: lambda name: _notice(Notice.MOVED, name),
}
"""The mails that repeat a name that a person chose."""
_LETTERS = {
    "verification": mails.verification_letter("secret", _URL),
    "reset": mails.reset_letter("secret", _URL),
    "password": mails.password_changed_letter(),
    "factor added": mails.factor_added_letter(),
    "factor removed": mails.factor_removed_letter(),
    "recovery": mails.recovery_used_letter(3),
    "subscription": subscription_letter(_ENDING, f"{_URL}/billing", _NOW),
    "invoice": invoice_letter(_ENDING, date(2026, 2, 1), f"{_URL}/billing", _NOW),
    "one old key": rotation_letter([_OLD_KEY], _URL),
    "old keys": rotation_letter([_OLD_KEY, _OLD_KEY], _URL),
    **{notice.value: notice_letter(_PROPERTY, notice, _MISSING) for notice in Notice},
}


def test_the_api_names_every_language_of_the_pages() -> None:
    assert [one.value for one in Language] == [tag_of(one) for one in LANGUAGES]


@pytest.mark.parametrize("language", [one for one in Language if one is not Language.EN])
@pytest.mark.parametrize("name", _LETTERS)
def test_every_sentence_is_in_the_readers_language(name: str, language: Language) -> None:
    letter = _LETTERS[name]
    english = write_letter(letter, Recipient("ana@example.com"))
    mail = write_letter(letter, Recipient("ana@example.com", language.value))

    shared = set(english.text.split("\n\n")) & set(mail.text.split("\n\n"))
    assert mail.subject != english.subject
    assert shared == set()
    assert f'<html lang="{language.value}">' in str(mail.html)


@pytest.mark.parametrize(
    ("language", "words"),
    [
        (Language.EN, "The invoice for February 2026 of R$1,234.50 was due on March 4, 2026"),
        (
            Language.ES,
            "La factura de febrero de 2026, de BRL\N{NO-BREAK SPACE}1,234.50, venció el 4 de marzo de 2026",
        ),
        (
            Language.PT_BR,
            "A fatura de fevereiro de 2026, de R$\N{NO-BREAK SPACE}1.234,50, venceu em 4 de março",
        ),
    ],
)
def test_dates_and_amounts_are_written_as_the_reader_does(language: Language, words: str) -> None:
    mail = write_letter(_LETTERS["invoice"], Recipient("ana@example.com", language.value))

    assert words in mail.text
    assert "2026-0" not in f"{mail.text}{mail.html}"


def test_old_keys_are_described_in_the_readers_language() -> None:
    mail = write_letter(_LETTERS["old keys"], Recipient("ana@example.com", Language.PT_BR))

    assert '- "Server", secreta, produção, ...1a2b, 4 de março de 2026' in mail.text


def test_a_time_is_written_as_the_reader_does() -> None:
    until = _NOW.replace(hour=15, minute=30)
    line = Message("To accept, open the link by {until} (UTC).", until=until)

    mail = write_letter(
        Letter(Message("Keys to rotate"), (line,)), Recipient("ana@example.com", Language.PT_BR)
    )

    assert "até 4 de março de 2026, 15:30 (UTC)" in mail.text


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("name", _LETTERS)
def test_html_and_text_say_the_same(name: str, language: Language) -> None:
    letter = _LETTERS[name]
    mail = write_letter(letter, Recipient("ana@example.com", language.value))

    shown = LexborHTMLParser(str(mail.html)).css_first("body")
    assert shown is not None
    words = " ".join(shown.text(separator=" ").split())
    for paragraph in mail.text.strip().split("\n\n"):
        label, _, url = paragraph.partition(":\nhttp")
        for line in label.splitlines():
            assert " ".join(line.removeprefix("- ").split()) in words
        assert not url or f"http{url}" in words


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("kind", _WITH_NAMES)
def test_a_name_that_a_stranger_chose_is_in_the_text_and_never_in_the_subject(
    kind: MailKind, language: Language
) -> None:
    mail, other = (
        write_letter(_WITH_NAMES[kind](name), Recipient("ana@example.com", language.value))
        for name in (_STRANGERS_WORDS, "News")
    )

    assert f'"{_STRANGERS_WORDS}' in mail.text
    assert mail.subject == other.subject
    assert _STRANGERS_WORDS not in mail.subject


def test_a_mail_loads_nothing_and_its_subject_is_fixed() -> None:
    for letter in _LETTERS.values():
        html = str(write_letter(letter, Recipient("ana@example.com")).html)
        assert not letter.subject.params
        assert not [
            word for word in ("<img", "<script", "<link", "url(", "@import") if word in html
        ]


def test_what_users_chose_is_text_in_html() -> None:
    letter = Letter(
        Message("Keys to rotate"),
        (Message("{inviter} invites you.", inviter="<b>Ana</b> & {role}"),),
        items=(Message("{name}", name="<i>key</i>"),),
    )
    html = str(write_letter(letter, Recipient("ana@example.com")).html)

    assert "&lt;b&gt;Ana&lt;/b&gt; &amp; {role}" in html
    assert "&lt;i&gt;key&lt;/i&gt;" in html


async def test_a_user_chooses_the_language_of_mails(api: ControlApi, owner: Person) -> None:
    async def patch(language: str) -> httpx.Response:
        body = {"language": language}
        return await api.http.patch("/v1/me", json=body, headers=owner.headers)

    before = (await api.http.get("/v1/me", headers=owner.headers)).json()["user"]["language"]
    chosen, refused = await patch("pt-BR"), await patch("tlh")

    assert before is None
    assert chosen.json()["user"]["language"] == "pt-BR"
    assert refused.status_code == 422


async def test_the_language_of_the_sign_up_is_that_of_the_first_mail(api: ControlApi) -> None:
    body = {"name": "Acme", "email": "es@people.example", "password": "correct horse 9 battery"}
    await api.http.post("/v1/accounts", json={**body, "language": "es"})

    (mail,) = await mails_to(api, "es@people.example")

    assert mail["Subject"] == "Verifica tu dirección de correo"
    assert "Te damos la bienvenida a Placard." in text_of(mail)
    assert VERIFY not in text_of(mail)
    assert mail.get_content_type() == "multipart/alternative"
    assert "Placard" in mail["From"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 600])
async def test_a_mail_fits_its_window(chromium: Browser, scheme: str, width: int) -> None:
    mail = write_letter(_LETTERS["reset"], Recipient("ana@example.com", "pt-BR"))
    page = await chromium.new_page(
        viewport={"width": width, "height": 700},
        color_scheme="dark" if scheme == "dark" else "light",
    )
    await page.set_content(str(mail.html))

    assert await page.evaluate("document.documentElement.scrollWidth") == width
    await page.close()
