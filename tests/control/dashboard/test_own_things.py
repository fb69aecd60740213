"""A person's own page: name, language, password, sessions, second factor."""

import pyotp
import pytest
import segno
from selectolax.lexbor import LexborHTMLParser

from control.identity.two_factor.rules import otpauth_url
from tests.support.control_api import PASSWORD, ControlApi
from tests.support.forms import the
from tests.support.visitor import Visitor, text_of

NEW = "seven quiet otters dream"
_SECRET = "EXAMPLE" * 4 + "EXAM"


async def test_a_name_is_changed(visitor: Visitor) -> None:
    page = await visitor.act("/profile", act="name", name="Ana Lima")

    assert "Ana Lima" in text_of(page)
    assert "Saved." in text_of(page)


@pytest.mark.parametrize(("language", "tag"), [("pt_BR", "pt-BR"), ("es", "es")])
async def test_a_chosen_language_wins_over_the_browsers(
    visitor: Visitor, language: str, tag: str
) -> None:
    await visitor.act("/profile", act="language", language=language)

    page = await visitor.look("/profile", language="en")

    assert page.root is not None
    assert page.root.attributes["lang"] == tag


async def test_a_changed_password_ends_the_other_sessions(
    api: ControlApi, visitor: Visitor
) -> None:
    person = visitor.person
    page = await visitor.act(
        "/profile", act="password", current_password=PASSWORD, new_password=NEW
    )

    assert "all your other sessions have ended" in text_of(page)
    assert (await api.http.get("/v1/me", headers=person.headers)).status_code == 401
    assert (await api.sign_in(person.email, NEW)).status_code == 200


async def test_a_wrong_password_is_shown_at_its_field(visitor: Visitor) -> None:
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


async def test_a_second_factor_is_set_up_with_a_qr_code_and_a_code(visitor: Visitor) -> None:
    shown = LexborHTMLParser(
        (await visitor.send("/profile/second-factor", act="set_up", password=PASSWORD)).text
    )
    secret = _secret_of(shown)
    url = otpauth_url(secret, visitor.person.email)
    drawn = segno.make_qr(url, error="m").svg_inline(
        border=4, dark="#000", light="#fff", omitsize=True
    )
    paths = [path.attributes["d"] for path in shown.css("svg.qr path")]
    assert paths
    assert all(f'd="{path}"' in drawn for path in paths)

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
    person = visitor.person
    second = await visitor.send("/sign-in", email=person.email, password=PASSWORD)
    assert "autofocus" in the(LexborHTMLParser(second.text), "input[name=otp]").attributes


async def test_a_typed_secret_cannot_inject_markup(visitor: Visitor) -> None:
    answer = await visitor.send(
        "/profile/second-factor", act="confirm", secret="<script>alert(1)</script>", code="1"
    )

    assert "<script>alert" not in answer.text
