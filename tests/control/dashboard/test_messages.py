"""Whoever reads Portuguese hears from the API in Portuguese, wherever a page says what it said."""

import ast
import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from babel.messages.pofile import read_po
from selectolax.lexbor import LexborHTMLParser

from control.dashboard.i18n import WORDS
from control.dashboard.message_translation import translate_in
from control.foundation.http.errors import _OF_ONE, _WORDS
from control.foundation.http.pattern_messages import WORDS as PATTERN_WORDS
from tests.support.control_api import ControlApi
from tests.support.forms import error_at
from tests.support.visitor import FROM_OUR_PAGE, Visitor, text_of, visiting

_ROOT = Path(__file__).parents[3]
_MAKERS = frozenset(
    {
        *("ApiError", "Refused", "Unavailable", "Detail", "invalid", "refused"),
        *("PydanticCustomError", "FileRefused"),
    }
)
_NOT_OF_PAGES: tuple[str, ...] = (
    *(
        "control/adapters",
        "control/operations/admin_cli",
        "control/processes",
        "control/delivery/edge_status",
        "control/events/ingest",
    ),
    *(
        "control/foundation/process_shell.py",
        "control/storage/migrations",
        "control/ports",
        "control/delivery/snapshot_publishing",
    ),
    *(
        "control/foundation/nameserver_addresses.py",
        "control/events/reconciliation",
        "control/events/corrections",
        "control/operations/scheduler",
    ),
    *(
        "control/operations/simulator",
        "control/dashboard/docs",
        "control/dashboard/sdk.py",
    ),
    *("control/billing/ledger/post.py", "control/storage/migrate.py", "control/api/health.py"),
    *(
        "control/foundation/http/inputs.py",
        "control/foundation/http/json_body.py",
    ),  # pages send neither JSON nor such headers
    "control/foundation/http/uploads.py",  # the browser writes the parts
    "control/identity/sessions/schemas.py",  # of the form of RFC 6749
    "control/dashboard/embed_sessions/origins.py",  # of a server that asks for a window
    "control/dashboard/embed_sessions/rules.py",
    "common/http",  # below every page
)
_OF_BEARERS = (
    *("Send `Authorization", "Send one `Authorization`", "A key or token must never stand"),
    *("A refresh token", "The refresh token", "The bearer token", "The access token", "The key 7"),
    *("This call does not take", "Send the file as 7, or announce", "archive leads to"),
)
_COMPOSED = ("This address 7.", "7: 7")
"""Said whole in the catalogue: what is filled in is a part of the sentence."""


def _text_of(node: ast.AST) -> str | None:
    """With a 7 for everything that is filled in."""
    match node:
        case ast.Constant(value=str(words)):
            return re.sub(r"\{\w+\}", "7", words)
        case ast.JoinedStr(values=parts):
            return "".join(str(p.value) if isinstance(p, ast.Constant) else "7" for p in parts)
        case ast.BinOp(left=left, right=right):
            first, second = _text_of(left), _text_of(right)
            return None if first is None or second is None else first + second
        case _:
            return None


def _messages() -> Iterator[tuple[str, str]]:
    """Every sentence that refuses something: its location, and its text."""
    for path in sorted(_ROOT.glob("control/**/*.py")):
        place = str(path.relative_to(_ROOT))
        if not place.startswith(_NOT_OF_PAGES):
            yield from ((place, words) for words in _in_file(path))
    yield from (("faults", re.sub(r"\{\w+\}", "7", words)) for _, words in _WORDS.values())
    yield from (("faults", words) for words in _OF_ONE.values())
    yield from (("patterns", words) for words in PATTERN_WORDS.values())


def _in_file(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if not isinstance(node, ast.Call) or ast.unparse(node.func).split(".")[-1] not in _MAKERS:
            continue
        for given in node.args:
            for one in (given.body, given.orelse) if isinstance(given, ast.IfExp) else (given,):
                words = _text_of(one)
                if words and " " in words.strip() and words not in _COMPOSED:
                    yield words


@pytest.fixture
async def visitor(api: ControlApi) -> AsyncIterator[Visitor]:
    async with visiting(api, await api.sign_up()) as signed_in:
        yield signed_in


def test_every_message_that_a_page_can_come_to_is_said_in_portuguese() -> None:
    say = translate_in("pt_BR")
    found = {one for one in _messages() if not one[1].startswith(_OF_BEARERS)}

    assert len(found) > 100
    assert {one for one in found if say(one[1]) == one[1]} == set()


def test_what_is_filled_in_has_its_place_in_both_languages() -> None:
    with (WORDS / "pt_BR" / "api.po").open("rb") as file:
        catalogue = read_po(file, locale="pt_BR", abort_invalid=True)

    for message in catalogue:
        said = set(re.findall(r"\{\w+\}", str(message.string).replace(":code}", "}")))
        assert said <= set(re.findall(r"\{\w+\}", str(message.id))), message.id


@pytest.mark.parametrize(
    ("english", "portuguese"),
    [
        ("Must be at least 1.", "Deve ser no mínimo 1."),
        ("width: Must be at least 1.", "width: Deve ser no mínimo 1."),
        (
            "The ad is draft and cannot pause. From here: activate, archive.",
            "Objeto anúncio: no estado rascunho, a ação pausar não é possível. Daqui: ativar, arquivar.",
        ),
        (
            "The ad is archived and stays as it is. Create a new one.",
            "O anúncio está arquivado e fica como está. Crie outro.",
        ),
        (
            "The asset 0199 is processing. Name one whose status is ready.",
            "O arquivo 0199 está em processamento. Escolha um que esteja pronto.",
        ),
        (
            "This is a test key: it reads and writes test objects only. Use a key of the other environment.",
            "Esta é uma chave de teste: só lê e grava objetos de teste. Use uma chave do outro ambiente.",
        ),
        ("A name of tomorrow, in English.", "A name of tomorrow, in English."),
        ("", ""),
    ],
)
def test_names_and_numbers_are_filled_into_the_other_language(
    english: str, portuguese: str
) -> None:
    assert translate_in("pt_BR")(english) == portuguese
    assert translate_in("en")(english) == english


def test_what_is_filled_in_stays_as_it_was_typed() -> None:
    say = translate_in("pt_BR")
    said = say("There is no macro {<b>}. Use only {0} {p0}.")
    taken = "The property has a slot with the key draft. Use that one, or give another key."

    assert " draft." in say(taken)
    assert "{<b>}" in said
    assert "{0} {p0}" in said


async def test_a_form_says_its_faults_in_the_readers_language(visitor: Visitor) -> None:
    headers = FROM_OUR_PAGE | {"Accept-Language": "pt-BR"}
    answer = await visitor.http.post(
        "/live/campaigns/new", data={"name": "", "bid_cents": "0"}, headers=headers
    )

    page = LexborHTMLParser(answer.text)
    assert answer.status_code == 422
    assert error_at(page, "name") == "Preencha este campo."
    assert error_at(page, "bid_cents") == "Deve ser no mínimo 1."
    assert "Must" not in text_of(page)
    assert "fields are wrong" not in text_of(page)
