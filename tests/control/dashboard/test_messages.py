"""A page shows every message in the user's language: each has its parts, and its entry in the catalogues."""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Any

import pytest
from babel.messages.pofile import read_po
from pydantic import BaseModel
from selectolax.lexbor import LexborHTMLParser

from common.values.messages import Message
from control.foundation.languages import LANGUAGES, WORDS
from control.foundation.message_translation import translate_in
from control.foundation.settings import ControlSettings
from control.foundation.state_machine import Transitions
from control.foundation.wire_types import FOR_PAGES, WireMessage
from tests.support.forms import error_at
from tests.support.visitor import FROM_OUR_PAGE, Visitor, text_of

_ROOT = Path(__file__).parents[3]
_OTHERS = LANGUAGES[1:]
_ERRORS = {
    **dict.fromkeys(("ApiError", "Refused"), 1),
    **dict.fromkeys(("Detail", "invalid"), 2),
    **dict.fromkeys(("field_error",), 1),
    **dict.fromkeys(("Unavailable", "FileRefused", "Rejected"), 0),
}
"""What takes a message, and at which place."""
_MAKES_FORMATS = (
    "common/values/messages.py",
    "control/adapters/manual_payments.py",  # an operator's own sentence
)
_NOT_OF_PAGES = (
    "common/http/",  # below every page
    "control/api/health.py",
    "control/billing/ledger/post.py",  # of operators' commands
    "control/dashboard/embed_sessions/origins.py",  # of a server that requests an embedded window
    "control/dashboard/embed_sessions/rules.py",
    "control/delivery/edge_status/",
    "control/delivery/pacing/slot_match.py",  # pages have a sentence for each code (`delivery_messages`)
    "control/delivery/snapshot_publishing/",
    "control/demand/campaigns/delivery_status/delivery.py",  # as above
    "control/processes/",
    "edge/",
)


_OF_PROGRAMS = (
    "`Content-",
    "`Authorization",
    "token",  # of a program's session
    "Send `email` or",  # as above
    "query parameter",
    "Send `live` or `test`",
    "Send either",
    "Must be one version number",
    "A recorded decision",
    "The key ",
    "wrapper",  # ads of other servers, which no form makes yet
)
"""Parts of messages about requests that no form sends."""
_NAMED = re.compile(r"`[^`]*`|/v1/[\w/-]+")
_REQUEST_PARAMS = frozenset(
    (
        "ip",
        "ua",
        "lang",
        "keywords",
        "{parameter}",
        "kv.<name>",
        "kv.<nome>",
        "segments",
        "uid",
        "seen",
        "preview_ad",
        "demo-always-fill",
        "control publish",
    )
)
"""What a developer types into an ad request or a shell; pages name it as it is typed."""


@dataclass(frozen=True, slots=True)
class _Site:
    """A call of `Message` in the source."""

    place: str
    msgid: str
    params: frozenset[str]


@cache
def _calls() -> Sequence[tuple[str, ast.Call, str]]:
    return [
        (str(path.relative_to(_ROOT)), node, ast.unparse(node.func).rpartition(".")[2])
        for folder in ("common", "control", "edge")
        for path in sorted((_ROOT / folder).rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call)
    ]


def _sites() -> Iterator[_Site]:
    for place, call, name in _calls():
        if name == "Message" and place not in _MAKES_FORMATS:
            msgid = call.args[0]
            assert isinstance(msgid, ast.Constant), f"{place}:{call.lineno}: a msgid is a constant"
            assert isinstance(msgid.value, str)
            params = frozenset(one.arg or "**" for one in call.keywords)
            yield _Site(f"{place}:{call.lineno}", msgid.value, params)


def _placeholders(template: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(template) if name is not None}


def _catalogue(language: str) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for path in sorted((WORDS / language).glob("*.po")):
        with path.open("rb") as file:
            catalogue = read_po(file, locale=language, abort_invalid=True)
        found |= {one.id: str(one.string) for one in catalogue if isinstance(one.id, str)}
    return found


def _has_words(msgid: str) -> bool:
    """Unlike ``{param}: {message}``."""
    return re.search(r"\w", re.sub(r"\{[^{}]*\}", "", msgid)) is not None


def test_a_message_has_a_parameter_for_each_placeholder_and_no_other() -> None:
    wrong = [one for one in _sites() if one.params and _placeholders(one.msgid) != one.params]

    assert wrong == []


def test_an_error_takes_no_bare_text() -> None:
    """Types refuse text from elsewhere (mypy); this refuses text that is written on the spot."""
    bare = [
        f"{place}:{call.lineno}"
        for place, call, name in _calls()
        if len(call.args) > _ERRORS.get(name, 99)
        for given in ast.walk(call.args[_ERRORS[name]])
        if isinstance(given, ast.JoinedStr)
        and "Message" not in ast.unparse(call.args[_ERRORS[name]])
    ]

    assert bare == []


@pytest.mark.parametrize("language", _OTHERS)
def test_every_message_that_a_page_may_show_has_an_entry(language: str) -> None:
    shown = {
        one.msgid: one.place
        for one in _sites()
        if _has_words(one.msgid) and not one.place.startswith(_NOT_OF_PAGES)
    }
    shown[ControlSettings.model_fields["top_up_instructions"].default] = "settings"
    known = _catalogue(language)

    assert len(shown) > 250
    assert {msgid: place for msgid, place in shown.items() if msgid not in known} == {}


@pytest.mark.parametrize("language", _OTHERS)
def test_a_translation_has_no_placeholder_that_its_message_lacks(language: str) -> None:
    formats = {one.msgid for one in _sites() if one.params}
    wrong = {
        msgid: words
        for msgid, words in _catalogue(language).items()
        if msgid in formats and not _placeholders(words) <= _placeholders(msgid)
    }

    assert wrong == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_message_of_a_page_has_a_name_of_the_api(language: str) -> None:
    """Fields have labels there, and states have words."""
    known = _catalogue(language)
    shown = {
        known.get(one.msgid, one.msgid)
        for one in _sites()
        if not one.place.startswith(_NOT_OF_PAGES)
        and not any(part in one.msgid for part in _OF_PROGRAMS)
    }
    named = {
        words: {name.strip("`") for name in _NAMED.findall(words)} - _REQUEST_PARAMS
        for words in shown
    }

    assert {words: names for words, names in named.items() if names} == {}


@pytest.mark.parametrize(
    ("message", "portuguese"),
    [
        (Message("Must be at least {ge}.", ge=1), "Deve ser no mínimo 1."),
        (
            Message("{param}: {message}", param="width", message=Message("Must not be empty.")),
            "width: Não pode ficar vazio.",
        ),
        (
            Message.joined([Message("Must be text."), Message("Must be null.")]),
            "Deve ser um texto. Deve ser nulo.",
        ),
        (
            Message(
                "The file may have at most {max_bytes:,} bytes. Send a smaller one.",
                max_bytes=65536,
            ),
            "O arquivo pode ter no máximo 65.536 bytes. Envie um menor.",
        ),
        (Message.untranslated("A sentence of a library."), "A sentence of a library."),
    ],
)
def test_parameters_are_filled_into_the_translation(message: Message, portuguese: str) -> None:
    assert translate_in("pt_BR")(message) == portuguese
    assert translate_in("pt_BR")(message.to_json()) == portuguese


def test_a_number_in_a_message_is_written_as_the_language_does() -> None:
    large = Message(
        "The file may have at most {max_bytes:,} bytes. Send a smaller one.", max_bytes=65536
    )

    assert translate_in("es")(large) == (
        "El archivo puede tener como máximo 65,536 bytes. Envía uno más pequeño."
    )


def test_a_refused_transition_names_states_and_verbs_in_the_users_language() -> None:
    table = {("draft", "activate"): "active", ("draft", "archive"): "archived"}
    refusal = Transitions("ad", table)._refusal("draft", "pause")

    assert translate_in("pt_BR")(refusal.message) == (
        "Ação pausar não é possível: anúncio no estado rascunho. Ações possíveis: ativar, arquivar."
    )
    assert translate_in("es")(refusal.message) == (
        "No es posible pausar: el estado de anuncio es borrador. Acciones posibles: activar, archivar."
    )


def test_a_parameter_stays_as_it_was_typed() -> None:
    key = "{<b>} {0} {key} draft"
    taken = Message(
        "The property already has a slot with the key {key}. Use that slot, or another key.",
        key=key,
    )

    assert f" {key}. " in translate_in("pt_BR")(taken)


def test_a_response_holds_english_for_clients_and_the_parts_for_pages() -> None:
    class Answer(BaseModel):
        error: WireMessage

    message = Message("Must be at least {ge}.", ge=1)
    answer = Answer(error=message)
    shown: dict[str, Any] = answer.model_dump(mode="json", context=FOR_PAGES)

    assert answer.model_dump_json() == '{"error":"Must be at least 1."}'
    assert Message.from_json(shown["error"]).params == {"ge": 1}


async def test_a_form_shows_its_errors_in_the_users_language(visitor: Visitor) -> None:
    headers = FROM_OUR_PAGE | {"Accept-Language": "pt-BR"}
    answer = await visitor.http.post(
        "/live/campaigns/new", data={"name": "", "bid_cents": "0"}, headers=headers
    )

    page = LexborHTMLParser(answer.text)
    assert answer.status_code == 422
    assert error_at(page, "name") == "Preencha este campo."
    assert error_at(page, "bid_cents").replace("\xa0", " ") == "Deve ser no mínimo US$ 0,01."
    assert "Must" not in text_of(page)
    assert "fields are" not in text_of(page)


async def test_a_stored_message_is_shown_in_the_users_language(visitor: Visitor) -> None:
    headers = FROM_OUR_PAGE | {"Accept-Language": "pt-BR"}
    await visitor.http.post("/wallet", data={"amount_cents": "500,00"}, headers=headers)
    page = await visitor.http.get("/wallet", headers=headers)

    assert "Transfira USD 500.00 ao operador deste serviço com a referência TU-" in page.text
