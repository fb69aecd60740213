"""Templates in each language, and the format of money, numbers and times on pages."""

from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from babel import Locale, dates, numbers
from babel.support import NullTranslations
from jinja2 import Environment as Templates
from jinja2 import FileSystemLoader, StrictUndefined
from markupsafe import Markup

from common.values.ids import new_id
from control.dashboard.ads.ad_preview import frame_address
from control.dashboard.docs.text import inline
from control.dashboard.flash_messages import FLASH_MESSAGES
from control.dashboard.form_body import cents_text
from control.dashboard.nav import groups_of, parent_of
from control.dashboard.page import Rendered
from control.dashboard.page_request import PageRequest
from control.dashboard.timezones import timezone_choices
from control.dashboard.undo import find_undo
from control.foundation.amounts import format_amount
from control.foundation.languages import LANGUAGES, translations_of
from control.foundation.message_translation import translate_in
from control.foundation.wire_types import MAX_SOUGHT_CHARS
from control.reporting.reports.metrics import Unit

HERE = Path(__file__).parent


@lru_cache(maxsize=len(LANGUAGES))
def templates_of(language: str) -> Templates:
    """
    The template environment of a language.

    ``_("…")`` in a template is for its own words, and may hold ``%(name)s``; ``pgettext("campaign", "…")`` is for words
    that other languages inflect by their subject. Words that come as values (a message of the API, a label of Python)
    go through ``translated``, which fills in nothing and does not trust them: ``translated(label, "campaign")``.
    """
    templates = Templates(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        extensions=["jinja2.ext.i18n"],
        trim_blocks=True,
        lstrip_blocks=True,
    )
    translations = translations_of(language)
    templates.install_gettext_translations(  # type: ignore[attr-defined]  # by the i18n extension
        translations, newstyle=True
    )
    templates.filters["inline"] = inline
    templates.globals["_"] = _filled_in(translations)
    templates.globals["translated"] = translate_in(language)
    templates.globals["ad_frame"] = frame_address
    templates.globals["points_of"] = points_of
    templates.globals["max_sought_chars"] = MAX_SOUGHT_CHARS
    return templates


def _filled_in(translations: NullTranslations) -> Callable[..., Markup]:
    """As the extension's own, for templates that escape: a page calls it hundreds of times, mostly without values."""

    @lru_cache(maxsize=5_000)
    def whole(words: str) -> Markup:
        return Markup(translations.gettext(words)) % {}  # noqa: S704 - a template's own words

    def gettext(words: str, /, **values: Any) -> Markup:
        if not values:
            return whole(words)
        return Markup(translations.gettext(words)) % values  # noqa: S704 - as above; values are escaped

    return gettext


def points_of(values: Sequence[float]) -> str:
    """*values*, oldest first, as the points of a line in a picture of 100 by 24, with the largest at the top."""
    most = max(values, default=0) or 1
    step = 100 / max(len(values) - 1, 1)
    return " ".join(
        f"{round(number * step, 2)},{round(23 - value * 22 / most, 2)}"
        for number, value in enumerate(values)
    )


def render(view: PageRequest, shown: Rendered) -> str:
    """The whole page. Every template gets ``view``, ``layout`` and the methods of `Writing`."""
    writing = Writing(view)
    template = templates_of(view.user_locale.language).get_template(shown.template)
    return template.render(
        view=view,
        layout=view.frame.layout,
        url=view.url,
        nav=groups_of(view),
        parent=parent_of(view),
        flash=FLASH_MESSAGES.get(view.query_param("flash")),
        undo=find_undo(view),
        money=writing.money,
        typed_amount=writing.typed_amount,
        micros=writing.micros,
        number=writing.number,
        written=writing.written,
        percent=writing.percent,
        when=writing.when,
        ago=writing.ago,
        day=writing.day,
        month=writing.month,
        seconds=writing.seconds,
        timezone_options=writing.timezone_options,
        new_once=new_id,
        **shown.values,
    )


class Writing:
    """Formats values in the user's locale and time zone. None is an en dash: no value is made up."""

    def __init__(self, view: PageRequest) -> None:
        self._locale = view.user_locale.locale
        self._zone: ZoneInfo = view.timezone
        self._now = view.now
        self._currency = view.currency
        self._comma = numbers.get_group_symbol(self._locale)

    def money(self, cents: int | None, currency: str | None = None) -> str:
        """Cents of the account's currency, unless another is named."""
        if cents is None:
            return "–"
        return format_amount(Decimal(cents) / 100, currency or self._currency, self._locale)

    def typed_amount(self, cents: int) -> str:
        """As people type it into a field, without the currency."""
        return cents_text(cents, self._locale)

    def timezone_options(self, chosen: str) -> list[tuple[str, str]]:
        """Of `timezone_choices`."""
        return timezone_choices(self._locale, chosen)

    def micros(self, micros: int | None, currency: str | None = None) -> str:
        """Millionths of the currency, exactly: with as many digits as needed, and at least two."""
        if micros is None:
            return "–"
        amount = Decimal(micros) / 1_000_000
        return format_amount(amount, currency or self._currency, self._locale, is_rounded=False)

    def number(self, value: float | None) -> str:
        match value:
            case None:
                return "–"
            case int():
                return f"{value:,}".replace(",", self._comma)
            case _:
                return numbers.format_decimal(value, locale=self._locale)

    def percent(self, share: float | None, digits: int = 1) -> str:
        """*share*: 1.0 is 100 %."""
        if share is None:
            return "–"
        return numbers.format_percent(share, format=_percent(digits), locale=self._locale)

    def written(self, unit: Unit, value: float | None, currency: str | None = None) -> str:
        match unit:
            case Unit.CENTS:
                return self.money(None if value is None else int(value), currency)
            case Unit.RATIO:
                return self.percent(value, 2)
            case Unit.COUNT:
                return self.number(value)

    def when(self, instant: str | None) -> str | Markup:
        """A time of the API in the user's zone, as a ``<time>``."""
        if instant is None:
            return "–"
        return _when(instant, self._zone, self._locale)

    def ago(self, instant: str | None) -> str | Markup:
        """The time since, or until: ``3 minutes ago``."""
        if instant is None:
            return "–"
        at = datetime.fromisoformat(instant)
        shown = dates.format_timedelta(
            at - self._now, add_direction=True, locale=self._locale, threshold=1.2
        )
        exact = dates.format_datetime(at, "medium", tzinfo=self._zone, locale=self._locale)
        return _time(instant, shown, exact)

    def day(self, instant: str | None) -> str | Markup:
        """The day of a time of the API, or an ISO date."""
        if instant is None:
            return "–"
        return _day(instant, self._zone, self._locale)

    def month(self, month: str) -> str:
        """A month of the API (``2026-03``) or an instant in it, of UTC: ``March 2026``."""
        return dates.format_skeleton(
            "yMMMM", date.fromisoformat(f"{month[:7]}-01"), locale=self._locale
        )

    def seconds(self, seconds: float) -> str:
        """A span: ``2 seconds``."""
        return dates.format_timedelta(timedelta(seconds=seconds), locale=self._locale)


@lru_cache(maxsize=2_000)
def _when(instant: str, zone: ZoneInfo, locale: Locale) -> Markup:
    at = datetime.fromisoformat(instant)
    shown = dates.format_datetime(at, "medium", tzinfo=zone, locale=locale)
    # Babel calls UTC the time of an unknown region.
    name = zone.key if zone.key == "UTC" else dates.get_timezone_name(zone, locale=locale)
    return _time(instant, shown, name)


@lru_cache(maxsize=2_000)
def _day(instant: str, zone: ZoneInfo, locale: Locale) -> Markup:
    if len(instant) == len("2026-01-01"):
        of = date.fromisoformat(instant)
    else:
        of = datetime.fromisoformat(instant).astimezone(zone).date()
    return _time(instant, dates.format_date(of, "medium", locale=locale), "")


@lru_cache(maxsize=8)
def _percent(digits: int) -> numbers.NumberPattern:
    return numbers.parse_pattern("#,##0." + "#" * digits + "%" if digits else "#,##0%")


def _time(instant: str, shown: str, title: str) -> Markup:
    return Markup('<time datetime="{}" title="{}">{}</time>').format(instant, title, shown)
