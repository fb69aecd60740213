"""What every geo reader promises, and how the one of database files behaves when its file does not."""

from errno import EIO
from pathlib import Path

import pytest

from common.service.background_tasks import background_tasks
from deploy.standalone.geo import PLACES, write_geo_database
from edge.adapters import maxmind_geo
from edge.adapters.maxmind_geo import MaxmindGeo
from edge.context import NullGeoReader
from edge.ports import NOWHERE, GeoLocation, GeoReader
from tests.support.waiting import until

SAO_PAULO = GeoLocation("br", "sp")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "geo.mmdb"
    write_geo_database(made)
    return made


def a_geo(path: Path) -> MaxmindGeo:
    geo = MaxmindGeo(path)
    geo.refresh()
    return geo


@pytest.fixture(params=["none", "maxmind"])
def reader(request: pytest.FixtureRequest, path: Path) -> GeoReader:
    return NullGeoReader() if request.param == "none" else a_geo(path)


@pytest.mark.parametrize(
    "text",
    ["", "8.8.8.8", "nowhere", "999.1.1.1", "\0", "\udcff", "::g", "9" * 5000, "2606:4700::1"],
)
def test_an_unknown_address_has_no_place(reader: GeoReader, text: str) -> None:
    assert reader.find(text) == NOWHERE


@pytest.mark.parametrize("network", PLACES)
def test_a_place_is_returned_in_lower_case(path: Path, network: str) -> None:
    country, region = PLACES[network]
    address = network.partition("/")[0]
    assert a_geo(path).find(address) == GeoLocation(country.lower(), region.lower())


@pytest.mark.parametrize("text", ["203.0.113.77", "::ffff:203.0.113.77"])
def test_an_ipv4_address_is_the_same_however_it_is_written(path: Path, text: str) -> None:
    assert a_geo(path).find(text) == SAO_PAULO


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        ({"country": {"iso_code": "BR"}}, GeoLocation("br", None)),
        ({"country": {"iso_code": "BR"}, "subdivisions": []}, GeoLocation("br", None)),
        ({"subdivisions": [{"iso_code": "SP"}]}, NOWHERE),
        ({"country": {"names": {"en": "Brazil"}}}, NOWHERE),
        ({"country": "BR"}, NOWHERE),
        ("BR", NOWHERE),
    ],
)
def test_records_of_other_shapes_give_the_fields_they_have(
    tmp_path: Path, record: object, expected: GeoLocation
) -> None:
    made = tmp_path / "other.mmdb"
    write_geo_database(made, {"203.0.113.0/24": record})
    assert a_geo(made).find("203.0.113.7") == expected


def test_a_file_renamed_over_the_old_one_is_loaded(path: Path) -> None:
    geo = a_geo(path)
    before = geo.find("203.0.113.7")
    write_geo_database(path, {"203.0.113.0/24": ("PT", "11")})
    geo.refresh()
    assert (before, geo.find("203.0.113.7")) == (SAO_PAULO, GeoLocation("pt", "11"))
    assert geo.failures == 0


@pytest.mark.parametrize("content", [b"", b"no database", b"\xab\xcd\xefMaxMind.com" * 3])
def test_a_broken_file_leaves_the_one_before_in_use_and_is_counted_once(
    path: Path, content: bytes
) -> None:
    geo = a_geo(path)
    new = path.with_name("new")
    new.write_bytes(content)
    new.replace(path)
    geo.refresh()
    geo.refresh()
    assert geo.find("203.0.113.7") == SAO_PAULO
    assert geo.failures == 1


def test_a_file_that_could_not_be_read_is_read_at_the_next_look(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    geo = a_geo(path)
    write_geo_database(path, {"203.0.113.0/24": ("PT", "11")})
    with monkeypatch.context() as patch:
        patch.setattr(maxmind_geo, "_open", _fail)
        geo.refresh()
    assert (geo.find("203.0.113.7"), geo.failures) == (SAO_PAULO, 1)
    geo.refresh()
    assert geo.find("203.0.113.7") == GeoLocation("pt", "11")


def _fail(_path: Path) -> None:
    raise OSError(EIO, "Input/output error")


def test_a_file_that_is_removed_stays_in_use(path: Path) -> None:
    geo = a_geo(path)
    path.unlink()
    geo.refresh()
    geo.refresh()
    assert geo.find("203.0.113.8") == SAO_PAULO
    assert geo.failures == 1


def test_a_file_that_appears_later_is_loaded(tmp_path: Path) -> None:
    path = tmp_path / "later.mmdb"
    geo = a_geo(path)
    before = geo.find("203.0.113.7"), geo.built_s
    write_geo_database(path)
    geo.refresh()
    assert before == (NOWHERE, 0)
    assert geo.find("203.0.113.7") == SAO_PAULO
    assert geo.built_s > 0


async def test_the_file_is_checked_in_the_background(path: Path) -> None:
    geo = a_geo(path)

    async def look_often() -> None:
        await geo.run(every_s=0.01)

    async def moved() -> bool:
        return geo.find("203.0.113.7") == GeoLocation("pt", "11")

    async with background_tasks(look_often):
        write_geo_database(path, {"203.0.113.0/24": ("PT", "11")})
        await until(moved)
    assert geo.failures == 0
