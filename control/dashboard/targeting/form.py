"""What the targeting fields need besides the form: options, rows, and the slots to choose from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from control.dashboard.form_rows import rows_shown
from control.dashboard.page_request import PageRequest
from control.dashboard.pickers.options import FIND, Offer, offer
from control.dashboard.pickers.queries import SLOT, Choice
from control.dashboard.targeting import labels
from control.dashboard.targeting.controls import CONTROLS, EVERY_CONTROL, KindControls
from control.dashboard.targeting.fields import DAYPARTS, REPEATED
from control.dashboard.targeting.typed_names import list_countries, list_languages
from control.dashboard.timezones import timezone_name
from control.foundation.languages import translations_of

SIDES = ("include", "exclude")
_ALWAYS_FILLED = (".op",)


@dataclass(frozen=True, slots=True)
class TargetingForm:
    """Values of ``targeting/fields.html``. ``options``: by the control's name. ``slots``: by `SIDES`."""

    kinds: Sequence[KindControls]
    options: Mapping[str, Sequence[Choice]]
    rows: Mapping[str, Sequence[int]]
    slots: Mapping[str, Offer]
    zone: str
    """The time zone of the hours, where the form itself does not choose it; "" if it is unknown."""
    has_exact_times: bool
    """Whether a window does not begin and end on the hour, so that only its fields show it."""
    countries: Sequence[Choice]
    """Names and their codes."""
    languages: Sequence[str]


async def targeting_form(
    view: PageRequest,
    *,
    narrow: Mapping[str, Sequence[str]] | None = None,
    zone: str = "",
    more: bool = False,
) -> TargetingForm:
    """From the view's form. *narrow*: see `Kind.narrows`. *more*: adds one more empty row."""
    slots = {}
    for side in SIDES:
        name = f"targeting.slots.{side}"
        chosen = view.form.get(name, ())
        slots[side] = await offer(view, SLOT, name, chosen=chosen, narrow=narrow)
    return form_with(view, slots, zone=zone, more=more)


def form_with(
    view: PageRequest, slots: Mapping[str, Offer], *, zone: str = "", more: bool = False
) -> TargetingForm:
    """As `targeting_form`, with the *slots* to choose from."""
    return TargetingForm(
        kinds=CONTROLS,
        options=options_of(
            view,
            {
                **{one.name: one.options for one in EVERY_CONTROL.values() if one.options},
                "days": labels.DAYS,
                "op": labels.OPERATORS,
            },
        ),
        rows={
            each.name: rows_shown(view.form, each.name, each.identifying, more=more)
            for each in REPEATED
        },
        slots=slots,
        zone=timezone_name(view.user_locale.locale, zone) if zone else "",
        has_exact_times=any(_is_exact(name, given) for name, given in view.form.items()),
        countries=list_countries(view.user_locale.locale),
        languages=list_languages(view.user_locale.locale),
    )


def _is_exact(name: str, given: Sequence[str]) -> bool:
    is_time = name.startswith(f"{DAYPARTS.name}.") and name.endswith((".start", ".end"))
    return is_time and any(one.strip() and not one.strip().endswith(":00") for one in given)


def options_of(
    view: PageRequest, every: Mapping[str, Mapping[str, str]]
) -> dict[str, list[Choice]]:
    """Values and their labels, in the user's language."""
    translate = translations_of(view.user_locale.language).gettext
    return {
        name: [(value, translate(label)) for value, label in values.items()]
        for name, values in every.items()
    }


def is_targeted(fields: Mapping[str, Sequence[str]]) -> bool:
    """Whether the form restricts the audience, or the user searches for a slot in it."""
    return any(
        name.startswith(("targeting.", f"{FIND}.targeting."))
        and not name.endswith(_ALWAYS_FILLED)
        and any(given)
        for name, given in fields.items()
    )
