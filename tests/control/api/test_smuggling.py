"""Ambiguous requests at the management API: refused and closed, and what hides behind them is not executed."""

import pytest

from tests.support.control_api import ControlApi
from tests.support.raw_http import exchange
from tests.support.smuggling import SMUGGLING, shapes_for

SHAPES = shapes_for(b"/v1/openapi.json", b"/v1/auth/token")
HIDDEN = b"GET /v1/openapi.json HTTP/1.1\r\nHost: test\r\n\r\n"


@pytest.mark.parametrize("name", SMUGGLING)
async def test_no_request_hidden_behind_an_ambiguous_one_is_executed(
    api: ControlApi, name: str
) -> None:
    answers = await exchange(api.port, SHAPES[name] + HIDDEN)
    assert [(one.status, one.code) for one in answers] == [(400, "bad_request")]
    assert answers[0].headers["connection"] == "close"
