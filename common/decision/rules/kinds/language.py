"""Targets the visitor's languages, from ``Accept-Language``, or from the query, which the edge's cache knows of."""

from collections.abc import Collection
from typing import Any

from common.decision.rules.kinds.kind import Condition, Dimension, TargetingKind
from common.decision.rules.opportunity import Signals
from common.decision.rules.outcome import NoFillReason
from common.values.languages import without_extensions
from common.values.messages import Message


class Languages(Dimension):
    """Language ranges, BCP 47 in lower case."""

    def parse(self, stored: Any) -> Condition:
        return Condition(frozenset([without_extensions(tag) for tag in stored]))

    def matches(self, condition: Condition, signals: Signals) -> bool:
        return not condition.included or any(
            covers(wanted, spoken) for wanted in condition.included for spoken in signals.languages
        )

    def project(self, signals: Signals, targeted: Any) -> Collection[Any]:
        """Every targeted range that covers one of the languages: the tag itself, and its prefixes at a dash."""
        tags = signals.languages
        found = {tag for tag in tags if tag in targeted}
        for tag in tags:
            end = tag.rfind("-")
            while end >= 0:
                if tag[:end] in targeted:
                    found.add(tag[:end])
                end = tag.rfind("-", 0, end)
        return tuple(sorted(found))


def covers(wanted: str, spoken: str) -> bool:
    """`pt` covers `pt` and `pt-br`; `pt-br` does not cover `pt` (RFC 4647, basic filtering)."""
    return spoken == wanted or spoken.startswith(f"{wanted}-")


LANGUAGES = TargetingKind(
    "languages",
    NoFillReason.LANGUAGE_NOT_TARGETED,
    Message("The campaign or ad targets other languages than the visitor's."),
    Message("Change `targeting.languages`, or send `lang`."),
    (Languages({"languages": tuple[str, ...]}, of_client=True),),
)
