"""
Messages that a person may read: an English sentence that keeps its parts, so that a page can translate it.

``Message("At most {limit} ads.", limit=50)`` is the text ``At most 50 ads.`` wherever text is expected. Its ``msgid``
and ``params`` are what a catalogue of another language needs.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, Self

Param = str | int | float | date
"""
A value in a sentence. A `Message` is translated like the sentence around it. A date (or a `datetime`, of UTC) is for
sentences that are written at once, because `Message.to_json` has no form for it.
"""


class Message(str):
    """
    *msgid*: the English sentence, a constant in the source. With *params* it is a format of `str.format`; without them
    it is the text itself, and braces stand for themselves.
    """

    __slots__ = ("msgid", "params")

    msgid: str
    params: Mapping[str, Param]

    def __new__(cls, msgid: str, /, **params: Param) -> Self:
        self = super().__new__(cls, msgid.format_map(params) if params else msgid)
        self.msgid = msgid
        self.params = params
        return self

    @classmethod
    def untranslated(cls, text: str) -> Self:
        """Text that no catalogue has: of a library, or of an operator. It is shown as it is."""
        return cls(text)

    @classmethod
    def from_stored(cls, text: str, parts: Mapping[str, Any] | None) -> Self:
        """*text* and its `to_json`, from a row; without *parts*, of before they were stored, as it is."""
        return cls.untranslated(text) if parts is None else cls.from_json(parts)

    @classmethod
    def joined(cls, messages: Sequence["Message"]) -> Self:
        """Sentences one after the other."""
        params = {f"sentence_{number}": message for number, message in enumerate(messages)}
        return cls(" ".join(f"{{{name}}}" for name in params), **params)

    def to_json(self) -> dict[str, Any]:
        """The parts, to be stored. A parameter that is itself a message is stored with its parts."""
        return {
            "msgid": self.msgid,
            "params": {
                name: value.to_json() if isinstance(value, Message) else value
                for name, value in self.params.items()
            },
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        """Of `to_json`."""
        return cls(
            stored["msgid"],
            **{
                name: cls.from_json(value) if isinstance(value, Mapping) else value
                for name, value in stored["params"].items()
            },
        )
