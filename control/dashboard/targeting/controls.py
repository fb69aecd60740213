"""
How the pages show each targeting kind: its fields in the form, its sentences in a description, and why it excluded an
ad. All texts are English, and in the catalogues.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto

from common.decision.rules.kinds import TARGETING_KINDS
from common.decision.rules.outcome import NoFillReason
from control.dashboard.targeting import labels


class Entries(Enum):
    """What a field has: words, areas or languages one a line, boxes of a closed set, or ``key=value``."""

    WORDS = auto()
    AREAS = auto()
    LANGUAGES = auto()
    BOXES = auto()
    PAIRS = auto()


@dataclass(frozen=True, slots=True)
class Control:
    """
    A field with a list of values. ``name``: in the API, as ``targeting.device.os``. ``sentence``: what precedes the
    values in a description. ``options``: the values of boxes, with their labels.
    """

    name: str
    label: str
    sentence: str
    entries: Entries = Entries.WORDS
    options: Mapping[str, str] = field(default_factory=dict)
    hint: str = ""
    rows: int = 2


@dataclass(frozen=True, slots=True)
class Question:
    """
    A field of the form that explains a request. ``name``: of the signal in `AskedSignals`; an area sets country and
    region. ``options``: of a signal with one value of a closed set. Other values are separated by commas.
    """

    name: str
    label: str
    entries: Entries = Entries.WORDS
    options: Mapping[str, str] = field(default_factory=dict)
    example: str = ""


@dataclass(frozen=True, slots=True)
class KindControls:
    """
    ``kind``: the name of the `TargetingKind`. ``controls``: empty where ``targeting/fields.html`` and
    ``targeting/words.html`` have a block for it. ``mismatch``: why an ad was not shown; ``remedy``: the text of a link
    to the field called ``anchor``. ``questions``: none for the time.
    """

    kind: str
    title: str
    mismatch: str
    remedy: str
    anchor: str
    controls: Sequence[Control] = ()
    intro: str = ""
    questions: Sequence[Question] = ()

    @property
    def reason(self) -> NoFillReason:
        return next(one.reason for one in TARGETING_KINDS if one.name == self.kind)


CONTROLS = (
    KindControls(
        "geo",
        "Locations",
        "The visitor's location did not match, or was unknown.",
        "Change the locations",
        "targeting.geo.include",
        (
            Control(
                "targeting.geo.include",
                "Only in",
                "Only in",
                Entries.AREAS,
                hint="One country or region per line: Brazil, BR-SP.",
                rows=3,
            ),
            Control("targeting.geo.exclude", "Not in", "Not in", Entries.AREAS, rows=3),
        ),
        questions=(
            Question("country", "Visitor location", Entries.AREAS, example="Brazil, BR-SP"),
        ),
    ),
    KindControls(
        "device",
        "Devices",
        "The visitor's device, system or browser did not match.",
        "Change the devices",
        "targeting.device.types",
        (
            Control(
                "targeting.device.types", "Device types", "Device:", Entries.BOXES, labels.DEVICES
            ),
            Control("targeting.device.os", "Systems", "System:", Entries.BOXES, labels.SYSTEMS),
            Control(
                "targeting.device.browsers", "Browsers", "Browser:", Entries.BOXES, labels.BROWSERS
            ),
        ),
        questions=(
            Question("device", "Device", Entries.BOXES, labels.DEVICES),
            Question("os", "System", Entries.BOXES, labels.SYSTEMS),
            Question("browser", "Browser", Entries.BOXES, labels.BROWSERS),
        ),
    ),
    KindControls(
        "languages",
        "Languages",
        "The visitor's languages did not match.",
        "Change the languages",
        "targeting.languages",
        (
            Control(
                "targeting.languages",
                "Languages of the visitor",
                "Visitors who speak",
                Entries.LANGUAGES,
                hint="One per line: Portuguese, or a code such as pt-br.",
            ),
        ),
        questions=(
            Question(
                "languages", "Languages of the visitor", Entries.LANGUAGES, example="Portuguese, en"
            ),
        ),
    ),
    KindControls(
        "dayparts",
        "Days and hours",
        "The campaign does not run at that day and hour.",
        "Change days and hours",
        "targeting.dayparts.0.days",
        intro="Ads are shown only in these hours of the campaign's time zone. If none are chosen, at any time.",
    ),
    KindControls(
        "keywords",
        "Keywords of the page",
        "The page's keywords did not match, or one of them is excluded.",
        "Change the keywords",
        "targeting.keywords.any",
        (
            Control("targeting.keywords.any", "Any of", "On pages about", hint="One per line."),
            Control("targeting.keywords.none", "None of", "Never on pages about"),
        ),
        questions=(Question("keywords", "Keywords of the page", example="football, boots"),),
    ),
    KindControls(
        "key_values",
        "Key-values of the page",
        "The page's key-values did not match.",
        "Change the key-values",
        "targeting.key_values.0.key",
        questions=(
            Question(
                "key_values",
                "Key-values of the page",
                Entries.PAIRS,
                example="topic=sports, plan=pro",
            ),
        ),
    ),
    KindControls(
        "segments",
        "Visitor segments",
        "The visitor was in none of the segments, or had not consented to segments.",
        "Change the segments",
        "targeting.segments.include",
        (
            Control(
                "targeting.segments.include",
                "In any of",
                "To visitors in",
                hint="Your own segments, sent with the request; only with consent.",
            ),
            Control("targeting.segments.exclude", "In none of", "Never to visitors in"),
        ),
        questions=(Question("segments", "Visitor segments", example="subscribers, newsletter"),),
    ),
)
"""In the order of the pages."""
QUESTIONS = [one for kind in CONTROLS for one in kind.questions]
EVERY_CONTROL = {one.name: one for kind in CONTROLS for one in kind.controls}
