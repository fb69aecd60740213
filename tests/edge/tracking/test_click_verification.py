"""`POST /v1/clicks/verify`: only ids that this environment signed are valid."""

from pathlib import Path
from uuid import UUID

import httpx

from common.values.environment import Environment
from edge.state.click_ids import ClickIds
from tests.edge.tracking.track_clients import TrackClients, open_track_clients
from tests.support.builders import KEY_RING

_ID = UUID("01936f0e-7d5c-7c2a-9f0b-5f2d8a4c1e77")


async def _verify(clients: TrackClients, body: object, key: str) -> httpx.Response:
    bearer = {"Authorization": f"Bearer {key}"}
    return await clients.http.post("/v1/clicks/verify", json=body, headers=bearer)


async def test_only_an_id_that_the_environment_signed_is_valid(tmp_path: Path) -> None:
    async with open_track_clients(tmp_path) as clients:
        signed = clients.edge.click_ids.sign(_ID)
        of_test = ClickIds(KEY_RING, Environment.TEST).sign(_ID)
        texts = (signed, signed.upper(), of_test, str(_ID), f"{signed[:-1]}0", "anything")
        found = [await _verify(clients, {"click_id": one}, clients.secret) for one in texts]

    assert [one.json()["valid"] for one in found] == [True, True, False, False, False, False]
    assert {one.json()["id"] for one in found} == {str(_ID), None}


async def test_a_wrong_body_or_key_is_refused(tmp_path: Path) -> None:
    async with open_track_clients(tmp_path) as clients:
        wrong = await _verify(clients, {"click": "x"}, clients.secret)
        public = await _verify(clients, {"click_id": "x"}, clients.publishable)

    details = wrong.json()["error"]["details"]
    assert {(one["param"], one["code"]) for one in details} == {
        ("click", "unknown_field"),
        ("click_id", "required"),
    }
    assert (public.status_code, public.json()["error"]["code"]) == (401, "invalid_key")
