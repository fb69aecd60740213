"""A person's own page: name, language, password, sessions, second factor."""

from collections.abc import AsyncIterator

import pyotp
import pytest
from selectolax.lexbor import LexborHTMLParser

from control.dashboard.profile.qr_code import qr_square, svg_path
from control.identity.two_factor.rules import otpauth_url
from tests.support.control_api import PASSWORD, ControlApi
from tests.support.visitor import Visitor, text_of, visiting

NEW = "seven quiet otters dream"
_SECRET = "EXAMPLE" * 4 + "EXAM"
_DRAWN_ELSEWHERE = (
    "1fdc8507d7f 105b58e5d41 174357cc75d 175fb5ec35d 17426c1365d 104513d9f41 1fd5555557f 00129c45c00 16e1be82a4b "
    "0a9a2fa1ebf 174139b0928 0cb9004c093 145bf24ab0d 16072823bcc 16d964586fb 021693d0212 135a8f70d98 0c3b9f583a6 "
    "1e4bc88b472 1c0610749ae 05f6c445efb 181cdde9ffb 1e73e438512 182ca31d5c1 09c7cb57b36 10becb5bf0c 095332042eb "
    "14ac31c5038 0a74fcca6b8 053d9a9612b 1567a5f7130 02382954c2e 0febc62d7fe 001a6543b1b 1fdd39f0d5c 105a06d9113 "
    "1741e5d19f2 17513f17bb1 175f7ad8523 104385b351a 1fdbcdea5aa"
)
"""The code of `_URL` by another program (python-qrcode 8.2, level M, mask 3): a number a row, dark is 1."""
_URL = f"otpauth://totp/Placard:ana%40acme.example?secret={_SECRET}&issuer=Placard"


@pytest.fixture
async def visitor(api: ControlApi) -> AsyncIterator[Visitor]:
    async with visiting(api, await api.sign_up()) as visitor:
        yield visitor


async def test_a_name_is_changed(visitor: Visitor) -> None:
    page = await visitor.act("/profile", act="name", name="Ana Lima")

    assert "Ana Lima" in text_of(page)
    assert "Saved." in text_of(page)


async def test_a_chosen_language_wins_over_the_browsers(visitor: Visitor) -> None:
    await visitor.act("/profile", act="language", language="pt_BR")

    page = await visitor.look("/profile", language="en")

    assert page.root is not None
    assert page.root.attributes["lang"] == "pt-BR"


async def test_a_changed_password_ends_the_other_sessions(
    api: ControlApi, visitor: Visitor
) -> None:
    person = visitor.person
    page = await visitor.act(
        "/profile", act="password", current_password=PASSWORD, new_password=NEW
    )

    assert "all your other sessions ended" in text_of(page)
    assert (await api.http.get("/v1/me", headers=person.headers)).status_code == 401
    assert (await api.sign_in(person.email, NEW)).status_code == 200


async def test_a_wrong_password_is_named_at_its_field(visitor: Visitor) -> None:
    answer = await visitor.send(
        "/profile", act="password", current_password="not this one", new_password=NEW
    )

    field = LexborHTMLParser(answer.text).css_first("#f-current_password")
    assert answer.status_code == 400
    assert field is not None
    assert field.attributes["aria-invalid"] == "true"


async def test_another_session_is_ended_from_the_list(api: ControlApi, visitor: Visitor) -> None:
    page = await visitor.look("/profile")
    other = page.css_first('input[name="act"][value="end"] + input[name="id"]')
    assert other is not None

    await visitor.act("/profile", act="end", id=str(other.attributes["value"]))

    gone = await api.http.get("/v1/me", headers=visitor.person.headers)
    assert gone.status_code == 401


def _secret_of(page: LexborHTMLParser) -> str:
    field = page.css_first('input[name="secret"]')
    assert field is not None
    return str(field.attributes["value"])


async def test_a_second_factor_is_set_up_with_a_picture_and_a_code(visitor: Visitor) -> None:
    shown = LexborHTMLParser(
        (await visitor.send("/profile/second-factor", act="set_up", password=PASSWORD)).text
    )
    secret = _secret_of(shown)
    url = otpauth_url(secret, visitor.person.email)
    path = shown.css_first("svg.qr path")
    assert path is not None
    assert path.attributes["d"] == svg_path(qr_square(url))

    wrong = await visitor.send(
        "/profile/second-factor", act="confirm", secret=secret, code="000000x"
    )
    assert wrong.status_code == 400
    assert _secret_of(LexborHTMLParser(wrong.text)) == secret

    code = pyotp.TOTP(secret).now()
    right = await visitor.send("/profile/second-factor", act="confirm", secret=secret, code=code)

    assert right.status_code == 200
    assert len(LexborHTMLParser(right.text).css(".codes li")) == 10
    assert "10 recovery codes are left" in text_of(await visitor.look("/profile"))


async def test_a_typed_secret_is_no_way_to_write_into_the_page(visitor: Visitor) -> None:
    answer = await visitor.send(
        "/profile/second-factor", act="confirm", secret="<script>alert(1)</script>", code="1"
    )

    assert "<script>alert" not in answer.text


def test_a_qr_code_is_drawn_as_others_draw_it() -> None:
    drawn = [f"{int(''.join('01'[dark] for dark in row), 2):011x}" for row in qr_square(_URL)]

    assert drawn == _DRAWN_ELSEWHERE.split()


@pytest.mark.parametrize(("size", "version"), [(14, 1), (15, 2), (84, 5), (85, 6), (666, 20)])
def test_a_qr_code_is_as_large_as_its_text_needs(size: int, version: int) -> None:
    assert len(qr_square("x" * size)) == 17 + 4 * version


def test_a_text_too_long_for_a_qr_code_is_refused() -> None:
    with pytest.raises(ValueError, match="667 bytes"):
        qr_square("x" * 667)
