"""What goes away is announced: on the wire, in the description and on its pages."""

from dataclasses import replace
from datetime import date

import pytest

from common.contract.deprecation import Deprecated
from common.contract.edge import FEATURES
from common.contract.openapi import build
from control.dashboard.docs.model import Reference
from tests.control.api.little_app import ENDPOINTS, LittleApi
from tests.support.control_api import Person

OLD = next(one.operation for one in ENDPOINTS if one.operation.deprecated)
EDGES = {"edge_live_url": "https://live.example", "edge_test_url": "https://test.example"}


async def test_every_answer_of_a_deprecated_operation_has_its_sunset_date(
    little: LittleApi, owner: Person
) -> None:
    good = await little.http.get("/v1/old-notes?environment=live", headers=owner.headers)
    bad = await little.http.get("/v1/old-notes?limit=none", headers=owner.headers)
    refused = await little.http.get("/v1/old-notes")
    other = await little.http.get("/v1/notes?environment=live", headers=owner.headers)

    assert [answer.status_code for answer in (good, bad, refused)] == [200, 422, 401]
    assert {answer.headers["Deprecation"] for answer in (good, bad, refused)} == {"@1767225600"}
    assert good.headers["Sunset"] == refused.headers["Sunset"] == "Tue, 01 Jun 2027 00:00:00 GMT"
    assert bad.headers["Sunset"] == "Fri, 01 Jan 2027 00:00:00 GMT"  # of `limit`, which goes first
    assert not {"Deprecation", "Sunset"} & set(other.headers)


def test_the_description_and_its_pages_show_the_deprecation() -> None:
    document = build([OLD], control_url="https://control.example", **EDGES)
    item = document["paths"]["/v1/old-notes"]["get"]
    limit = next(one for one in item["parameters"] if one["name"] == "limit")
    [tag] = Reference(document | {"tags": [{"name": "Notes", "description": ""}]}).tags()

    assert (item["deprecated"], item["x-sunset"]) == (True, "2027-06-01")
    assert (limit["deprecated"], limit["x-sunset"]) == (True, "2027-01-01")
    assert {"Deprecation", "Sunset"} <= set(item["responses"]["200"]["headers"])
    assert {"Deprecation", "Sunset"} <= set(document["components"]["headers"])
    assert "gone on 2027-06-01" in tag.operations[0].description


def test_the_edge_announces_only_what_its_operation_does() -> None:
    assert not FEATURES.announces
    going = replace(FEATURES, deprecated=OLD.deprecated)
    assert going.announcement(())["Deprecation"] == "@1767225600"


def test_a_notice_of_less_than_a_year_is_refused() -> None:
    with pytest.raises(ValueError, match="365 days"):
        Deprecated(date(2026, 1, 1), date(2026, 12, 31), "")
