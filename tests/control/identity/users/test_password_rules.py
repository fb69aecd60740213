"""Which passwords are refused, and that good ones are not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from control.identity.passwords.rules import find_fault

OWN = ("ana.souza@acme-media.example", "Ana Souza")


@pytest.mark.parametrize(
    "password",
    [
        "123456789012",
        "Password1234",
        "P@ssw0rd1234",
        "passwordpassword",
        "PasswordPassword2026!",
        "qwertyuiopas",
        "asdfghjklzxc",
        "abcdefghijkl",
        "lkjhgfdsapoi",
        "aaaaaaaaaaaa",
        "abababababab",
        "xyz1xyz1xyz1",
        "Welcome12345",
        "Summer2026!!",
        "iloveyou12345",
        "letmein!!2024",
    ],
)
def test_common_passwords_are_refused(password: str) -> None:
    assert find_fault(password) is not None


@pytest.mark.parametrize(
    "password",
    [
        "souza souza souza",
        "AcmeMedia2026",
        "ana.souza@acme-media.example",
        "souza1234567",
        "acme-souza-12",
    ],
)
def test_the_users_own_name_and_address_are_refused(password: str) -> None:
    assert find_fault(password, OWN) is not None


@pytest.mark.parametrize(
    "password",
    [
        "correct horse battery",
        "seven quiet otters dream",
        "tr0ub4dor&3-moons",
        "my password is a long one indeed",
        "souza likes green tea at noon",
        "日本語のとても長いパスワード",
        "v9$kQ2!mZp7#",
        "            x            y",
    ],
)
def test_a_phrase_of_ones_own_is_fine(password: str) -> None:
    assert find_fault(password, OWN) is None


@given(st.text(min_size=12, max_size=256))
def test_any_text_is_judged(password: str) -> None:
    assert isinstance(find_fault(password, OWN), str | None)


@given(st.text("bcdfghjkmnpqrtvwxz!#%&", min_size=20, max_size=40))
def test_a_verdict_does_not_depend_on_capitals(password: str) -> None:
    assert (find_fault(password) is None) == (find_fault(password.upper()) is None)
