"""A tiny geo database of loopback and the ranges reserved for documentation, to try out geo targeting."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mmdb_writer import MMDBWriter
from netaddr import IPSet  # type: ignore[import-untyped]  # it has no types, and mmdb_writer takes nothing else

PLACES: dict[str, tuple[str, str]] = {
    "127.0.0.0/8": ("US", "CA"),
    "::1/128": ("US", "CA"),
    "192.0.2.0/24": ("DE", "BE"),
    "198.51.100.0/24": ("GB", "ENG"),
    "203.0.113.0/24": ("BR", "SP"),
    "2001:db8::/32": ("FR", "IDF"),
}
"""Range → country and region, with codes of ISO 3166-2."""


def demo_geo_path(state: Path) -> Path:
    return state / "geo" / "demo.mmdb"


def write_geo_database(path: Path, places: Mapping[str, object] = PLACES) -> None:
    """
    Writes the file in the layout of GeoLite2 City. A value that is not a pair of country and region is written
    unchanged, as a record.

    The file is replaced atomically: the previous one is in use until then.
    """
    writer = MMDBWriter(
        ip_version=6,
        ipv4_compatible=True,
        database_type="Placard-Demo-City",
        languages=["en"],
        description="Reserved address ranges, placed at will",
    )
    for network, place in places.items():
        writer.insert_network(IPSet([network]), _record(place))
    new = path.with_name(f"{path.name}.new")
    path.parent.mkdir(parents=True, exist_ok=True)
    writer.to_db_file(str(new))
    new.replace(path)


def _record(place: object) -> Any:
    if not isinstance(place, tuple):
        return place
    country, region = place
    return {"country": {"iso_code": country}, "subdivisions": [{"iso_code": region}]}
