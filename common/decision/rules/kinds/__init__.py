"""
The targeting kinds, one file each, in the order in which they are checked. `CONTRIBUTING.md` describes how to add one.

Slots are no kind here: which slots a campaign targets follows from the snapshot alone
(`common.decision.rules.eligibility`).
"""

from common.decision.rules.kinds.daypart import DAYPARTS
from common.decision.rules.kinds.device import DEVICE
from common.decision.rules.kinds.geo import GEO
from common.decision.rules.kinds.key_value import KEY_VALUES
from common.decision.rules.kinds.keyword import KEYWORDS
from common.decision.rules.kinds.kind import Dimension, Header, Parameter, TargetingKind
from common.decision.rules.kinds.language import LANGUAGES
from common.decision.rules.kinds.segment import SEGMENTS

TARGETING_KINDS: tuple[TargetingKind, ...] = (
    GEO,
    DEVICE,
    LANGUAGES,
    DAYPARTS,
    KEYWORDS,
    KEY_VALUES,
    SEGMENTS,
)

_EVERY = [dimension for kind in TARGETING_KINDS for dimension in kind.dimensions]
DIMENSIONS: tuple[Dimension, ...] = (
    *(dimension for dimension in _EVERY if dimension.of_client),
    *(dimension for dimension in _EVERY if not dimension.of_client),
)
"""Everything below is by its number here: first those of the client, then those of the query."""
OF_CLIENT = sum(dimension.of_client for dimension in _EVERY)
NUMBERS: tuple[tuple[int, ...], ...] = tuple(
    tuple(DIMENSIONS.index(dimension) for dimension in kind.dimensions) for kind in TARGETING_KINDS
)
"""By the place in `TARGETING_KINDS`, the numbers of the kind's dimensions."""
PARAMETERS: tuple[Parameter, ...] = tuple(
    kind.parameter for kind in TARGETING_KINDS if kind.parameter is not None
)
HEADERS: tuple[Header, ...] = tuple(
    kind.header for kind in TARGETING_KINDS if kind.header is not None
)
PERSONAL = frozenset(parameter.signal for parameter in PARAMETERS if parameter.personal)
"""Signals that need consent to personal ads."""
