"""Templates in each language, and how pages write money, numbers and times."""

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from babel import Locale, dates, numbers
from jinja2 import Environment as Templates
from jinja2 import FileSystemLoader, StrictUndefined
from markupsafe import Markup

from common.ids import new_id
from control.web.ads.frames import frame_address
from control.web.nav import groups_of
from control.web.saying import saying_in
from control.web.screen import Shown
from control.web.told import TOLD
from control.web.view import View
from control.web.wording import LANGUAGES, translations_of

HERE = Path(__file__).parent


@lru_cache(maxsize=len(LANGUAGES))
def templates_of(language: str) -> Templates:
    """
    ``_("…")`` in a template is for its own words, and may hold ``%(name)s``. Words that come as values (a message of
    the API, a label of Python) go through ``said``, which neither fills in nor trusts them.
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
    templates.globals["said"] = saying_in(language)
    templates.globals["ad_frame"] = frame_address
    return templates


def render(view: View, shown: Shown) -> str:
    """The whole page. ``view``, ``layout`` and the writers of `Writing` are there for every template."""
    writing = Writing(view)
    template = templates_of(view.wording.language).get_template(shown.template)
    return template.render(
        view=view,
        layout=view.frame.layout,
        url=view.url,
        nav=groups_of(view),
        told=TOLD.get(view.asked("told")),
        money=writing.money,
        micros=writing.micros,
        number=writing.number,
        percent=writing.percent,
        when=writing.when,
        ago=writing.ago,
        day=writing.day,
        seconds=writing.seconds,
        new_once=new_id,
        **shown.values,
    )


class Writing:
    """How one reader's locale and zone write things. None is an en dash: nothing is made up."""

    def __init__(self, view: View) -> None:
        self._locale = view.wording.locale
        self._zone: ZoneInfo = view.timezone
        self._now = view.now
        self._currency = _currency_of(view.me)

    def money(self, cents: int | None, currency: str | None = None) -> str:
        """Cents of the account's currency, unless another is named."""
        if cents is None:
            return "–"
        return numbers.format_currency(
            Decimal(cents) / 100, currency or self._currency, locale=self._locale
        )

    def micros(self, micros: int | None, currency: str | None = None) -> str:
        """Millionths of the currency, exactly: with as many digits as it takes, and two at least."""
        if micros is None:
            return "–"
        return numbers.format_currency(
            Decimal(micros) / 1_000_000,
            currency or self._currency,
            locale=self._locale,
            decimal_quantization=False,
        )

    def number(self, value: float | None) -> str:
        match value:
            case None:
                return "–"
            case int():
                return f"{value:,}".replace(",", numbers.get_group_symbol(self._locale))
            case _:
                return numbers.format_decimal(value, locale=self._locale)

    def percent(self, share: float | None, digits: int = 1) -> str:
        """*share*: 1.0 is all."""
        if share is None:
            return "–"
        pattern = "#,##0." + "#" * digits + "%" if digits else "#,##0%"
        return numbers.format_percent(share, format=pattern, locale=self._locale)

    def when(self, instant: str | None) -> str | Markup:
        """A time of the API in the reader's zone, as a ``<time>``."""
        if instant is None:
            return "–"
        at = datetime.fromisoformat(instant)
        shown = dates.format_datetime(at, "medium", tzinfo=self._zone, locale=self._locale)
        return _time(instant, shown, _zone_name(self._zone, self._locale))

    def ago(self, instant: str | None) -> str | Markup:
        """How long since, or until: ``3 minutes ago``."""
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
        if len(instant) == len("2026-01-01"):
            of = date.fromisoformat(instant)
        else:
            of = datetime.fromisoformat(instant).astimezone(self._zone).date()
        return _time(instant, _day(of, self._locale), "")

    def seconds(self, seconds: float) -> str:
        """A span: ``2 seconds``."""
        return dates.format_timedelta(timedelta(seconds=seconds), locale=self._locale)


@lru_cache(maxsize=2_000)
def _day(of: date, locale: Locale) -> str:
    return dates.format_date(of, "medium", locale=locale)


@lru_cache(maxsize=2_000)
def _zone_name(zone: ZoneInfo, locale: Locale) -> str:
    return dates.get_timezone_name(zone, locale=locale)


def _time(instant: str, shown: str, title: str) -> Markup:
    return Markup('<time datetime="{}" title="{}">{}</time>').format(instant, title, shown)


def _currency_of(me: Mapping[str, Any] | None) -> str:
    return str(me["account"]["currency"]) if me else "USD"
