"""
The ad categories that may not be shown to children, by the codes that the API accepts.

Codes are from the IAB Tech Lab Content Taxonomy. Those of 1.0 (`IAB8-5`) include their subcategories. Those of 2.0 to
3.1 (`211`) do not show their parent, so that each one is listed.
"""

from common.snapshot.model import Ad

UNFIT_IN_TAXONOMY_1 = frozenset(
    {"IAB7-28", "IAB7-39", "IAB7-42", "IAB7-44"}  # abuse, sexuality, drugs, weight loss
    | {"IAB8-5", "IAB8-18", "IAB9-9"}  # alcohol, cigars
    | {"IAB11", "IAB23"}  # politics, religion
    | {"IAB14-1", "IAB17-16", "IAB17-18"}  # dating, horse racing, shooting
    | {"IAB24", "IAB25", "IAB26"}  # not sorted, not standard (violence, pornography, hate), illegal
)
UNFIT_IN_TAXONOMY_2_AND_3 = frozenset(
    {"158", "181", "480", "497", "524", "zjg29s"}  # nightclubs, gambling, lotteries, betting
    | {"211", "260", "311", "pg0whf"}  # alcohol, cigars, drugs, vaping
    | {"188", "200", "302", "303", "307", "308", "570", "rm3sit"}  # dating, sexual health, adult
    | {"231", "320", "323"}  # weight loss, medicines, cosmetic surgery
    | {"174", "386", "387", "388", "8ypbbl", "z7rjbm"}  # politics, disputed issues
    | {"175", *(str(number) for number in range(453, 464))}  # religion
    | {"336", "ii436j", "mq2xml"}  # horror, games for adults
    | {"380", "389", "514", "khpc5a", "avbnf2"}  # crime, war, shooting, weapons
    | {"v9i3on", "xtodt3", "i4gwl6", "hxqyv1", "j9pao9", "mm3uxx", "6i4db6", "8fd8ni"}  # sensitive
    | {"bsr001", "bsr002"}  # brand suitability: floor, high risk
)


def is_unfit_for_children(ad: Ad) -> bool:
    return any(_is_unfit(category) for category in ad.categories)


def _is_unfit(category: str) -> bool:
    """Codes are compared without case: the API stores them as they were sent."""
    parent = category.upper().partition("-")[0]
    return (
        category.upper() in UNFIT_IN_TAXONOMY_1
        or parent in UNFIT_IN_TAXONOMY_1
        or category.lower() in UNFIT_IN_TAXONOMY_2_AND_3
    )
