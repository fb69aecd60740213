"""Labels of a campaign's values on pages. English, and in the catalogues; a template translates them."""

from control.demand.campaigns.schemas import Sort

OBJECTIVES = {
    "awareness": "Awareness",
    "traffic": "Traffic",
    "engagement": "Engagement",
    "leads": "Leads",
    "conversions": "Conversions",
    "app_promotion": "App promotion",
}
PRICING_MODELS = {
    "cpm": "CPM: a thousand impressions",
    "cpc": "CPC: a click",
    "cpa": "CPA: a conversion",
    "flat_rate": "Flat rate: the whole flight",
}
BOUGHT = {
    "cpm": "for a thousand impressions",
    "cpc": "for a click",
    "cpa": "for a conversion",
    "flat_rate": "for the whole flight",
}
BUYS = {
    "cpm": "That buys about %(count)s impressions.",
    "cpc": "That buys about %(count)s clicks.",
    "cpa": "That buys about %(count)s conversions.",
}
"""The number of events that a total budget buys at the bid."""
PACINGS = {
    "even": "Even: spread over the flight",
    "front_loaded": "Front-loaded: more at the start",
    "asap": "As fast as possible",
}
PRIORITIES = {
    "sponsorship": "Sponsorship: first, with a share of voice",
    "standard": "Standard: before the auction",
    "auction": "Auction: the highest expected price wins",
    "house": "House: when no paid ad is eligible",
}
STATUSES = {
    "draft": "Draft",
    "pending_review": "Waiting for review",
    "active": "Active",
    "paused": "Paused",
    "completed": "Completed",
    "rejected": "Rejected",
    "archived": "Archived",
}
GOALS = {
    "": "No goal",
    "impressions": "Impressions",
    "clicks": "Clicks",
    "conversions": "Conversions",
}
CAP_EVENTS = {"impression": "impressions", "click": "clicks"}
CAP_SCOPES = {"campaign": "of the whole campaign", "ad": "of each ad"}
CAP_ONES = {
    "minute": "a minute",
    "hour": "an hour",
    "day": "a day",
    "week": "a week",
}
CAP_UNITS = {"minute": "minutes", "hour": "hours", "day": "days", "week": "weeks"}
SORTS = {
    Sort.NEWEST: "Newest first",
    Sort.OLDEST: "Oldest first",
    Sort.BY_NAME: "Name, A to Z",
    Sort.BY_NAME_BACKWARDS: "Name, Z to A",
    Sort.LAST_CHANGED: "Recently changed",
    Sort.FIRST_CHANGED: "Least recently changed",
}
CHIPS = {
    "draft": ("Draft", "quiet"),
    "pending_review": ("Waiting for review", "warn"),
    "paused": ("Paused", "warn"),
    "rejected": ("Rejected", "bad"),
    "archived": ("Archived", "quiet"),
    "scheduled": ("Scheduled", "quiet"),
    "delivering": ("Delivering", "good"),
    "ready": ("Ready to deliver", "quiet"),
    "not_delivering": ("Not delivering", "bad"),
    "budget_exhausted_today": ("Today's budget is spent", "warn"),
    "budget_exhausted": ("Budget is spent", "quiet"),
    "ended": ("Ended", "quiet"),
    "no_ads": ("No ads to show", "bad"),
    "blocked": ("Blocked", "bad"),
}
"""
Text and tone by status; for an active or completed campaign, by its delivery status. ``ready``: it could deliver, and
has shown nothing yet.
"""
AD_CHIPS = {
    "draft": ("Draft", "quiet"),
    "pending_review": ("Waiting for review", "warn"),
    "active": ("Active", "good"),
    "rejected": ("Rejected", "bad"),
    "paused": ("Paused", "warn"),
    "archived": ("Archived", "quiet"),
}
PACES = {
    "ahead": ("ahead", "warn"),
    "on_track": ("on track", "good"),
    "behind": ("behind", "bad"),
}

IMPORT_POLICIES = {
    "keep": "Leave it unchanged",
    "update": "Change it to the values of the file",
}
IMPORT_OUTCOMES = {
    "created": ("Created", "good"),
    "updated": ("Updated", "good"),
    "unchanged": ("Exists already", "quiet"),
    "refused": ("Refused", "bad"),
}
"""Text and tone."""
IMPORT_COLUMNS = {
    "property_ids": "Ids of properties, with commas between them and quotation marks around them",
    "name": "Name, required",
    "objective": "Objective",
    "pricing_model": "What you pay for",
    "bid_cents": "Bid in cents, required: 250 is 2.50",
    "pacing": "Pacing",
    "priority": "Priority",
    "start_at": "Start, like 2027-03-01 10:00",
    "end_at": "End, like 2027-04-01 00:00",
    "timezone": "Time zone, like America/Sao_Paulo",
    "budget.total_cents": "Total budget in cents",
    "budget.daily_cents": "Daily budget in cents",
    "goal.kind": "Kind of the goal",
    "goal.total": "Target of the goal",
    "share_of_voice_percent": "Share of voice in percent, of sponsorships",
    "external_ref": "Your own id, required",
}


def chip_of(status: str, delivery_status: str, *, has_delivered: bool) -> tuple[str, str]:
    """Text and tone of a campaign's chip."""
    decides = delivery_status if status in ("active", "completed") else status
    return CHIPS["ready" if decides == "delivering" and not has_delivered else decides]
