"""Address ranges of the traffic filter: those of data centres, and a property's own."""

from bisect import bisect_right
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network


class RangesInvalid(ValueError):
    """A line is not a CIDR range; the message names the line."""


class AddressRanges:
    """Ranges merged and sorted, so that a look-up is a bisection."""

    def __init__(self, ranges: list[tuple[int, int, int]]) -> None:
        """*ranges*: (IP version, first, last), in any order."""
        self._starts: dict[int, list[int]] = {4: [], 6: []}
        self._ends: dict[int, list[int]] = {4: [], 6: []}
        for version, first, last in sorted(ranges):
            starts, ends = self._starts[version], self._ends[version]
            if ends and first <= ends[-1] + 1:
                ends[-1] = max(ends[-1], last)
            else:
                starts.append(first)
                ends.append(last)

    def __contains__(self, address: IPv4Address | IPv6Address) -> bool:
        return self._holds(address.version, int(address), int(address))

    def covers(self, network: IPv4Network | IPv6Network) -> bool:
        """Whether all of *network* is covered, for addresses of which only the network is known."""
        return self._holds(network.version, int(network[0]), int(network[-1]))

    def _holds(self, version: int, first: int, last: int) -> bool:
        place = bisect_right(self._starts[version], first) - 1
        return place >= 0 and last <= self._ends[version][place]


NO_RANGES = AddressRanges([])


def parse_ranges(text: str) -> AddressRanges:
    """Parses one CIDR range or address a line; ignores empty lines and ``#`` comments. Raises `RangesInvalid`."""
    found: list[tuple[int, int, int]] = []
    for number, line in enumerate(text.splitlines(), 1):
        entry = line.partition("#")[0].strip()
        if not entry:
            continue
        try:
            network = ip_network(entry, strict=False)
        except ValueError as error:
            raise RangesInvalid(f"line {number}: {error}") from error
        found.append((network.version, int(network[0]), int(network[-1])))
    return AddressRanges(found)


@lru_cache(maxsize=4096)
def ranges_of(entries: tuple[str, ...]) -> AddressRanges:
    """Returns a property's ranges from the snapshot, compiled once; entries that are not ranges are skipped."""
    kept = []
    for entry in entries:
        try:
            parse_ranges(entry)
        except RangesInvalid:
            continue
        kept.append(entry)
    return parse_ranges("\n".join(kept))
