"""Ads unfit for children, by every spelling of a category that the API takes."""

import pytest

from common.privacy.children import is_unfit_for_children
from tests.support.builders import a_campaign, an_ad


@pytest.mark.parametrize(
    "category",
    [
        *("IAB8-5", "IAB7-39", "IAB25", "IAB25-3", "IAB11-4", "IAB14-1", "iab9-9"),
        *("211", "181", "v9i3On", "Rm3SiT", "460", "pg0WhF", "524"),
    ],
)
def test_an_unfit_category_is_known_in_each_taxonomy(category: str) -> None:
    assert is_unfit_for_children(an_ad(a_campaign(), categories=("IAB22", category)))


@pytest.mark.parametrize(
    "category",
    ["IAB22", "IAB7", "IAB8", "IAB8-50", "IAB14-6", "IAB19-6", "483", "IAB1-1", "21", "2110"],
)
def test_a_fit_category_is_left(category: str) -> None:
    assert not is_unfit_for_children(an_ad(a_campaign(), categories=(category,)))


def test_an_ad_without_categories_is_left() -> None:
    assert not is_unfit_for_children(an_ad(a_campaign(), categories=()))
