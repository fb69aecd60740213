"""Breaks strings at random, as networks, templates and attackers do."""

import random

from tests.support.consent_strings import ALPHABET

_ODD = "~.,=+/%$ {}é\0\udc80"


def garbled(text: str, chance: random.Random) -> str:
    """*text* after one to four changes."""
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(text) + 1)
        text = _change(text, at, chance)
    return text


def _change(text: str, at: int, chance: random.Random) -> str:
    match chance.randrange(7):
        case 0 | 1 | 2:
            return text[:at] + chance.choice(ALPHABET) + text[at + 1 :]
        case 3:
            return text[:at] + text[at + chance.randint(1, 9) :]
        case 4:
            return text[:at] + chance.choice(_ODD) + text[at:]
        case 5:
            return text[:at]
        case _:
            return (
                text[:at] + "".join(chance.choices(ALPHABET, k=chance.randint(1, 60))) + text[at:]
            )
