"""Which ads may not be shown where children are meant to look."""

from common.snapshot.model import Ad

UNFIT_CATEGORIES = ("7-39", "7-44", "8-5", "8-18", "9-9", "11", "14", "19", "23", "24", "25", "26")
"""IAB content categories (taxonomy 1), with all below them: alcohol, gambling, dating, adult, illegal."""


def is_unfit_for_children(ad: Ad) -> bool:
    return any(
        category == unfit or category.startswith(f"{unfit}-")
        for category in ad.categories
        for unfit in UNFIT_CATEGORIES
    )
