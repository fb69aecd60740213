"""
Messages for text that does not match its field's pattern: users read them in forms, and a
pattern explains little.
"""

from typing import Final

from common.values.languages import ANY_CASE, LOCALE

_LOWER: Final = "Use lower-case letters, digits, {others}, and begin with a letter or a digit; at most 64 characters."

WORDS: Final[dict[str, str]] = {
    r"^[a-z0-9][a-z0-9_-]{0,63}$": _LOWER.format(others="`-` and `_`"),
    r"^[a-z0-9][a-z0-9_.-]{0,63}$": _LOWER.format(others="`.`, `-` and `_`"),
    r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$": (
        "Use letters, digits, `.`, `-` and `_`, and begin with a letter or a digit; at most 64 characters."
    ),
    r"^[A-Za-z0-9][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*$": "Write it as the store does, like com.example.app.",
    ANY_CASE: "Write a language as BCP 47 has it, like pt or pt-BR.",
    LOCALE: "Write a language as BCP 47 has it, like pt-BR.",
    "^[A-Za-z]{2}$": "Write the country as two letters, like DE.",
    r"^[A-Za-z0-9]{1,3}$": "Write the region as ISO 3166-2 has it behind the hyphen, like BY.",
    r"^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$": "Write hours and minutes, like 09:30; a day ends at 24:00.",
    r"^[a-z]{1,20}/[a-z0-9][a-z0-9.+-]{0,62}$": "Write a media type in lower case, like image/png.",
    r"^[a-z]{1,20}(\.[0-9]{1,2})?$": "Write a role in lower case, like image.",
    r"^[0-9]{1,5}(\.[0-9]{1,5}){0,2}$": "Write a version as numbers with points, like 1.2.0.",
    r"^[0-9a-f]{64}$": "Write 64 hexadecimal digits in lower case.",
    r"^[0-9a-f]{16}$": "Write 16 hexadecimal digits in lower case.",
}
"""Message by pattern."""
