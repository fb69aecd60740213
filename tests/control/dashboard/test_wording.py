"""Which of our languages a user sees."""

import pytest

from control.dashboard.i18n import choose_locale


@pytest.mark.parametrize(
    ("wanted", "accepted", "language", "locale"),
    [
        ("pt-BR", "", "pt_BR", "pt_BR"),
        ("pt-BR-u-ca-gregory", "", "pt_BR", "pt_BR"),
        ("pt_PT-x-corp", "", "pt_BR", "pt_PT"),
        (None, "pt-BR-u-nu-latn,en;q=0.5", "pt_BR", "pt_BR"),
        ("x-corp", "en-GB-oxendict", "en", "en_GB"),
        ("tlh-u-ca-gregory", "", "en", "en_US"),
    ],
)
def test_the_first_supported_language_is_used(
    wanted: str | None, accepted: str, language: str, locale: str
) -> None:
    found = choose_locale(wanted, accepted)

    assert (found.language, str(found.locale)) == (language, locale)
