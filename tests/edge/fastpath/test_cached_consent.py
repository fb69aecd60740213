"""Requests with consent strings are answered by the serve cache, and as their consent demands."""

import pytest

from common.snapshot.model import Pace
from common.tracking.token import parse_token
from tests.support.consent_strings import PERSONAL, a_tc_string
from tests.support.edge_pair import EdgePair, with_distinct_bids, with_query


def _consent_strings(count: int) -> list[bytes]:
    """Of as many users, each with another vendor; every other one refused."""
    return [
        b"gdpr_consent="
        + a_tc_string(
            consents=PERSONAL if number % 2 else (), vendor_consents=(number + 1,)
        ).encode()
        for number in range(count)
    ]


@pytest.mark.parametrize(
    ("before", "after"),
    [(b"gdpr=1", b""), (b"", b""), (b"", b"gdpr=0&coppa=1")],
    ids=["string", "string alone", "string that does not apply"],
)
async def test_a_known_consent_string_is_answered_by_the_cache(
    pair: EdgePair, before: bytes, after: bytes
) -> None:
    pair.begin(with_distinct_bids(pair.world.objects))
    strings = _consent_strings(12)
    requests = [
        with_query(one, *filter(None, (before, text, after)))
        for one in pair.requests[:5]
        for text in strings
    ]

    assert pair.serve(requests) == len(requests)
    pair.fill_cache(requests)


async def test_a_page_is_cached_once_for_all_consents_of_one_effect(pair: EdgePair) -> None:
    """Without paces the same ad always wins, so nothing but the page could be missing."""
    pair.begin(one for one in pair.world.objects if not isinstance(one, Pace))
    _, one, _, other = _consent_strings(4)
    first = pair.requests[0]
    headers = first.partition(b"\r\n")[2]
    second = pair.requests[1].partition(b"\r\n")[0] + b"\r\n" + headers
    pair.fill_cache([with_query(first, one), with_query(first, other), with_query(second, one)])

    assert pair.hits([with_query(second, other)]) == 1


async def test_consent_limits_the_token_of_a_cached_page(pair: EdgePair) -> None:
    """The same client on the same page, whose consent string alone is another one."""
    pair.begin(with_distinct_bids(pair.world.objects))
    refused, granted = (with_query(pair.requests[0], b"gdpr=1", one) for one in _consent_strings(2))
    pair.fill_cache([refused, granted])

    fills = [one for one in pair.fills([refused, granted] * 4) if one]

    tokens = [parse_token(one["track_token"])[0] for one in fills]
    assert [one.consent_limited for one in tokens] == [True, False] * 4


async def test_a_consent_string_with_a_uid_takes_the_slow_path(pair: EdgePair) -> None:
    pair.begin(pair.world.objects)
    requests = [with_query(pair.requests[0], one, b"uid=a") for one in _consent_strings(4)]

    assert pair.serve(requests * 2) == 8
    assert pair.hits(requests) == 0


@pytest.mark.parametrize(
    "more",
    [
        (b"gdpr%5Fconsent=X", b"gdpr=1"),
        (b"gdpr_consent=X", b"g%64pr=1"),
        (b"gdpr_consent=X", b"gdpr_consent=Y"),
        (b"gdpr_consent=", b"gdpr=1"),
        (b"gdpr_consent",),
        (b"gdpr_consent=X&", b"gdpr=1"),
        (b"xgdpr_consent=X", b"gdpr=1"),
        (b"gpp=DBAA", b"gpp_sid=2"),
        (b"gpp=DBAA", b"gpp_sid=2", b"us_privacy=1YYN", b"lgpd=0", b"npa=1"),
    ],
)
async def test_unusual_consent_parameters_are_read_as_on_the_slow_path(
    pair: EdgePair, more: tuple[bytes, ...]
) -> None:
    pair.begin(pair.world.objects)
    for one in pair.requests[:10]:
        requests = [with_query(one, *more), with_query(one, more[0]), with_query(one, *more[1:])]
        assert pair.serve(requests * 2) == 6
