"""Targets segments of the visitor, which a server names; only with consent."""

from common.decision.rules.kinds.kind import AnyWord, Parameter, TargetingKind
from common.decision.rules.opportunity import Signals
from common.decision.rules.outcome import NoFillReason
from common.values.messages import Message


class Segments(AnyWord):
    def words_of(self, signals: Signals) -> frozenset[str]:
        return signals.segments


SEGMENTS = TargetingKind(
    "segments",
    NoFillReason.SEGMENTS_NOT_TARGETED,
    Message(
        "The visitor is in no targeted segment or in an excluded one, or consent does not allow "
        "the use of segments."
    ),
    Message("Change `targeting.segments`, or send `segments` with consent."),
    (Segments("segments", "include", "exclude"),),
    parameter=Parameter(
        "segments",
        description=(
            "Segments of the visitor. Accepted only from servers (a secret key, or a property with "
            "`server_rendering`) and with consent; otherwise ignored."
        ),
        example=["buyers", "newsletter"],
        believed_only=True,
        personal=True,
    ),
)
