"""The description over HTTP."""

from tests.support.control_api import ControlApi, code_of
from tests.support.resources import params_of


async def test_the_description_is_served_to_anyone(api: ControlApi) -> None:
    answer = await api.http.get("/v1/openapi.json")

    assert answer.json()["openapi"].startswith("3.1")
    assert "" not in answer.headers.values()


async def test_the_description_takes_no_parameters(api: ControlApi) -> None:
    answer = await api.http.get("/v1/openapi.json?page=2")

    assert (params_of(answer), code_of(answer)) == (["page"], "validation_failed")
