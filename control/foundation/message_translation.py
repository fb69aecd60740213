"""
Translates messages, labels and other values with words into the user's language.

A `Message` is looked up by its ``msgid`` in the catalogues below ``locales/``, and its parameters are filled into the
translation. There ``{status:code}`` is the API's name of a state, a verb or a role, which is translated too (context
``code``; without an entry it only loses its underscores), and ``{size_bytes:,}`` a number as the language writes it. A
date and an `Amount` are written as the language does; with ``{month:%Y-%m}`` its month alone. A label is its own
``msgid``.

A word that other languages inflect by its subject has a context in the catalogues: ``campaign``, ``ad``, ….
"""

from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache
from string import Formatter
from typing import Any, Protocol

from babel import dates, numbers

from common.values.messages import Message
from common.values.money import Amount
from control.foundation.amounts import format_amount
from control.foundation.languages import LANGUAGES, formats_of, translations_of


class Translate(Protocol):
    def __call__(self, words: str | Mapping[str, Any], of: str = "") -> str:
        """
        The words in one language, as text: nothing that is filled in becomes markup. Unknown words stay as they are.

        *words*: a label, a `Message`, or its `Message.to_json`. *of*: the subject of the words, a context of the
        catalogues; words without that context are translated without it.
        """


@lru_cache(maxsize=len(LANGUAGES))
def translate_in(language: str) -> Translate:
    return _Translation(language)


class _Translation(Formatter):
    """Fills parameters into translated sentences, which may hold parameters in another order, or leave some out."""

    def __init__(self, language: str) -> None:
        self._formats = formats_of(language)
        self._catalogue = translations_of(language)

    def __call__(self, words: str | Mapping[str, Any], of: str = "") -> str:
        if not isinstance(words, str):
            words = Message.from_json(words)
        if isinstance(words, Message) and words.params:
            return self.vformat(self._catalogue.gettext(words.msgid), (), words.params)
        if not words:
            return words
        inflected = self._catalogue.pgettext(of, words) if of else words
        return str(self._catalogue.gettext(words) if inflected == words else inflected)

    def format_field(self, value: Any, format_spec: str) -> str:
        match value, format_spec:
            case _, "code":
                codes = str(value).split(", ")
                return ", ".join(self._name_of(code) for code in codes)
            case Message(), _:
                return self(value)
            case int(), ",":
                return numbers.format_decimal(value, locale=self._formats)
            case Amount(), _:
                return format_amount(Decimal(value.cents) / 100, value.currency, self._formats)
            case date(), _:
                return self._date_text(value, format_spec)
            case _:
                return str(super().format_field(value, format_spec))

    def _date_text(self, value: date, format_spec: str) -> str:
        if format_spec == "%Y-%m":
            return dates.format_skeleton("yMMMM", value, locale=self._formats)
        day = dates.format_date(value, "long", locale=self._formats)
        if not isinstance(value, datetime):
            return day
        return f"{day}, {dates.format_time(value, 'short', locale=self._formats)}"

    def _name_of(self, code: str) -> str:
        name = str(self._catalogue.pgettext("code", code))
        return code.replace("_", " ") if name == code else name
