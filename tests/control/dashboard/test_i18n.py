"""The language that a user sees, and its form of address."""

import re
from decimal import Decimal

import pytest

from control.dashboard.i18n import choose_locale, name_of
from control.foundation.amounts import format_amount
from control.foundation.languages import LANGUAGES, WORDS

_FORMAL = re.compile(
    r'(?:^msgstr "|[.:] )(?:Abra|Agregue|Añada|Busque|Cambie|Cierre|Copie|Corrija|Cree|Elija|Escriba|Espere|Guarde'
    r"|Haga|Indique|Intente|Pida|Publique|Quite|Revise|Seleccione|Suba|Suelte|Use|Verifique|Vuelva"
    r"|(?:Déj|Envíe|Guárd|Intént|Quít)e?l[oa]s?)\b"
)
"""Imperatives of *usted*."""


@pytest.mark.parametrize(
    ("wanted", "accepted", "language", "locale"),
    [
        ("pt-BR", "", "pt_BR", "pt_BR"),
        ("pt-BR-u-ca-gregory", "", "pt_BR", "pt_BR"),
        ("pt_PT-x-corp", "", "pt_BR", "pt_PT"),
        (None, "pt-BR-u-nu-latn,en;q=0.5", "pt_BR", "pt_BR"),
        ("es", "", "es", "es_419"),
        (None, "es-AR,pt;q=0.5", "es", "es_AR"),
        (None, "es-419", "es", "es_419"),
        ("es", "es-MX", "es", "es_419"),
        ("x-corp", "en-GB-oxendict", "en", "en_GB"),
        ("tlh-u-ca-gregory", "", "en", "en_US"),
    ],
)
def test_the_first_supported_language_is_used(
    wanted: str | None, accepted: str, language: str, locale: str
) -> None:
    found = choose_locale(wanted, accepted)

    assert (found.language, str(found.locale)) == (language, locale)


def test_a_language_is_offered_under_its_own_name() -> None:
    assert [name_of(one) for one in LANGUAGES] == ["English", "Español", "Português (Brasil)"]


@pytest.mark.parametrize(
    ("tag", "written"),
    [
        ("en", "$1,234.50"),
        ("es", "USD 1,234.50"),
        ("es-AR", "US$1.234,50"),
        ("es-ES", "1.234,50 US$"),
        ("pt-BR", "US$ 1.234,50"),
    ],
)
def test_an_amount_is_written_as_in_the_readers_country(tag: str, written: str) -> None:
    locale = choose_locale(tag, "").locale

    assert format_amount(Decimal("1234.50"), "USD", locale).replace("\xa0", " ") == written


def test_spanish_addresses_the_reader_as_tu() -> None:
    lines = [
        line
        for path in (WORDS / "es").glob("*.po")
        for line in path.read_text("utf-8").splitlines()
    ]

    assert [line for line in lines if line.startswith("msgstr") and _FORMAL.search(line)] == []
