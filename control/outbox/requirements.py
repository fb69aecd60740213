"""
Features that an edge must support to serve a campaign or an ad, named as in `common.decision.rules.feature_support`.
Pure.
"""

from common.decision.rules.ad_limits import VAST_WRAPPER
from common.decision.rules.feature_support import (
    BUDGET,
    FLAT_RATE,
    FREQUENCY_CAP,
    GOAL,
    SHARE_OF_VOICE,
    targeting,
)
from common.values.enums import PricingModel
from control.storage.tables.campaigns import AdRow, CampaignRow


def campaign_requirements(row: CampaignRow) -> tuple[str, ...]:
    has = {
        BUDGET: row.budget_total_cents is not None or row.budget_daily_cents is not None,
        GOAL: row.goal is not None,
        SHARE_OF_VOICE: row.share_of_voice_percent is not None,
        FREQUENCY_CAP: bool(row.frequency_caps),
        FLAT_RATE: row.pricing_model == PricingModel.FLAT_RATE,
    }
    features = tuple(name for name, wanted in has.items() if wanted)
    return (*features, *(targeting(kind) for kind in sorted(row.targeting)))


def ad_requirements(row: AdRow) -> tuple[str, ...]:
    wrapper = (VAST_WRAPPER,) if row.content.get("wrapper") else ()
    return (*wrapper, *(targeting(kind) for kind in sorted(row.targeting)))
