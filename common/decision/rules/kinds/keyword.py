"""Targets keywords of the page, which the request names."""

from common.decision.rules.kinds.kind import AnyWord, Parameter, TargetingKind, change_or_send
from common.decision.rules.opportunity import Signals
from common.decision.rules.outcome import NoFillReason
from common.values.messages import Message


class Keywords(AnyWord):
    def words_of(self, signals: Signals) -> frozenset[str]:
        return signals.keywords


KEYWORDS = TargetingKind(
    "keywords",
    NoFillReason.KEYWORDS_NOT_TARGETED,
    Message(
        "The request's keywords do not match those that the campaign or ad targets, or one "
        "of them is excluded."
    ),
    change_or_send("keywords", "keywords"),
    (Keywords("keywords", "any", "none"),),
    parameter=Parameter(
        "keywords",
        description="Keywords of the page, case-insensitive.",
        example=["running", "trail shoes"],
    ),
)
