"""
Messages for text that does not match its field's pattern: users read them in forms, and a
pattern explains little.
"""

from typing import Final

from common.values.languages import ANY_CASE, LOCALE
from common.values.messages import Message

PATTERN_MESSAGES: Final[dict[str, Message]] = {
    r"^[a-z0-9][a-z0-9_-]{0,63}$": Message(
        "Use lower-case letters, digits, `-` and `_`, and begin with a letter or a digit; at most 64 characters."
    ),
    r"^[a-z0-9][a-z0-9_.-]{0,63}$": Message(
        "Use lower-case letters, digits, `.`, `-` and `_`, and begin with a letter or a digit; at most 64 characters."
    ),
    r"^[A-Za-z0-9_.-]{1,64}$": Message(
        "Use letters, digits, `.`, `-` and `_`; at most 64 characters."
    ),
    r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$": Message(
        "Use letters, digits, `.`, `-` and `_`, and begin with a letter or a digit; at most 64 characters."
    ),
    r"^[A-Za-z0-9][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*$": Message(
        "Use the id of the app store, like com.example.app."
    ),
    ANY_CASE: Message("Use a BCP 47 language tag, like pt or pt-BR."),
    LOCALE: Message("Use a BCP 47 language tag, like pt-BR."),
    "^[A-Za-z]{2}$": Message("Use two letters for the country, like DE."),
    r"^[A-Za-z0-9]{1,3}$": Message(
        "Use the part of the ISO 3166-2 code after the hyphen, like BY."
    ),
    r"^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$": Message(
        "Use hours and minutes, like 09:30. A day ends at 24:00."
    ),
    r"^[a-z]{1,20}/[a-z0-9][a-z0-9.+-]{0,62}$": Message(
        "Use a media type in lower case, like image/png."
    ),
    r"^[a-z]{1,20}(\.[0-9]{1,2})?$": Message("Use a role in lower case, like image."),
    r"^[0-9]{1,5}(\.[0-9]{1,5}){0,2}$": Message(
        "Use numbers with points for a version, like 1.2.0."
    ),
    "^(left|right|[0-9]{1,5})$": Message("Use left, right, or a number of pixels."),
    "^(top|bottom|[0-9]{1,5})$": Message("Use top, bottom, or a number of pixels."),
    r"^[0-9a-f]{64}$": Message("Must be 64 hexadecimal digits in lower case."),
    r"^[0-9a-f]{16}$": Message("Must be 16 hexadecimal digits in lower case."),
}
"""By pattern."""
