"""The fields and the plain words of every targeting kind, without a server."""

import re
from types import SimpleNamespace
from typing import Any

import pytest
from babel import Locale

from common.decision.rules.kinds import TARGETING_KINDS
from control.dashboard.pickers.options import Offer
from control.dashboard.rendering import templates_of
from control.dashboard.targeting.controls import CONTROLS
from control.dashboard.targeting.fields import DAYPARTS, FIELDS, REPEATED, fields_of, read_targeting
from control.dashboard.targeting.form import SIDES, form_with
from control.dashboard.targeting.messages import TargetingNames, complete_targeting
from control.demand.campaigns.targeting import Targeting
from tests.common.decision.worlds import Worlds

LOCALE = Locale("en")
SEEDS = range(20)
KINDS = {kind.name: kind for kind in TARGETING_KINDS}


def _stored(kind: str, seed: int) -> dict[str, Any]:
    return Targeting.model_validate({kind: Worlds(seed).stored(KINDS[kind])}).stored()


def _form(typed: dict[str, list[str]]) -> str:
    """The fields of targeting as the page shows them, with one slot to choose."""
    view: Any = SimpleNamespace(
        form=typed,
        screen=SimpleNamespace(fields={}),
        user_locale=SimpleNamespace(language="en", locale=LOCALE),
        form_field=lambda name, otherwise="": next(iter(typed.get(name, ())), otherwise),
        label_field=lambda _, label: label,
        error_of=lambda _: None,
        is_open=lambda _, is_used, *__: is_used,
    )
    slots = {side: Offer([("a", "Top")], False, "", "") for side in SIDES}  # noqa: FBT003 - has no others
    page: Any = templates_of("en").get_template("targeting/fields.html").make_module({"view": view})
    return str(page.targeting_fields(form_with(view, slots)))


def test_the_form_has_the_fields_of_every_kind() -> None:
    page = _form({})

    rows = [f"{each.name}.0.{name}" for each in REPEATED for name in each.readers]
    assert [name for name in (*FIELDS, *rows) if f'name="{name}"' not in page] == []
    assert [kind.anchor for kind in CONTROLS if f'id="f-{kind.anchor}"' not in page] == []
    assert re.findall(r'data-rows="([^"]+)"', page) == [one.name for one in REPEATED]
    assert re.findall(r'data-week="([^"]+)"', page) == [DAYPARTS.name]


@pytest.mark.parametrize(("start", "is_open"), [("09:00", False), ("09:30", True)])
def test_times_are_shown_as_a_list_where_they_are_no_full_hours(
    start: str, *, is_open: bool
) -> None:
    page = _form({"targeting.dayparts.0.days": ["mon"], "targeting.dayparts.0.start": [start]})

    assert ('<details id="part-times" open' in page) is is_open
    assert '<details id="part-times"' in page


@pytest.mark.parametrize("kind", KINDS)
def test_what_the_form_shows_of_a_kind_is_read_again(kind: str) -> None:
    for seed in SEEDS:
        if kind == "languages" and "pt-br-x" in str(Worlds(seed).stored(KINDS[kind])):
            continue  # a tag that edges must bear and the API refuses
        stored = _stored(kind, seed)

        body, places = read_targeting(fields_of(stored, LOCALE), LOCALE)

        assert Targeting.model_validate(body).stored() == stored
        assert set(places) == set(places.values())


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_is_described_in_words(kind: str) -> None:
    stored = next(one for seed in range(1, 60) if len(one := _stored(kind, seed)) == 1)
    names = {"targeting_names": TargetingNames(LOCALE, {})}
    page: Any = templates_of("en").get_template("targeting/words.html").make_module(names)

    assert "<li>" in page.targeting_words(complete_targeting(stored), "UTC")


def test_a_window_over_midnight_becomes_two() -> None:
    row = "targeting.dayparts.0"
    fields = {f"{row}.days": ["fri", "sun"], f"{row}.start": ["22:00"], f"{row}.end": ["02:00"]}

    targeting, places = read_targeting(fields, Locale("en"))

    assert targeting["dayparts"] == [
        {"days": ["fri", "sun"], "start": "22:00", "end": "24:00"},
        {"days": ["sat", "mon"], "start": "00:00", "end": "02:00"},
    ]
    assert places == {row: row, "targeting.dayparts.1": row}
