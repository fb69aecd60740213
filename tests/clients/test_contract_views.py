"""The conformance cases of a view, run by the element in a real browser."""

from typing import Any

import pytest
from playwright.async_api import Browser

from tests.clients.cases import cases, name_of
from tests.clients.views import check_view


@pytest.mark.parametrize("case", cases("views"), ids=name_of)
async def test_the_element_behaves_as_the_cases_specify(chromium: Browser, case: Any) -> None:
    await check_view(chromium, case)
