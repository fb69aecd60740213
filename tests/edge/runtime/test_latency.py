"""Histograms of how long calls take."""

import pytest

from edge.runtime.latency import BOUNDS_S, FAILED, SERVE, TRACK, Latencies


@pytest.mark.parametrize(
    ("line", "outcome"),
    [
        (b"HTTP/1.1 200 OK", "ok"),
        (b"HTTP/1.1 204 No Content", "no_fill"),
        (b"HTTP/1.1 302 Found", "ok"),
        (b"HTTP/1.1 429 Too Many Requests", "refused"),
        (b"HTTP/1.1 503 Service Unavailable", "failed"),
    ],
)
def test_a_serve_answer_is_counted_alike_by_its_bytes_and_by_its_status(
    line: bytes, outcome: str
) -> None:
    latencies = Latencies()

    latencies.observe_serve(line + b"\r\n\r\n", 0.001)
    latencies.observe("serveAd", int(line.split()[1]), 0.002)

    histogram = latencies.of("serveAd", outcome)
    assert sum(histogram.counts) == 2
    assert histogram.sum_s == pytest.approx(0.003)


def test_failures_on_which_alerts_fire_begin_at_zero() -> None:
    found = Latencies().found
    assert [sum(found[operation, FAILED].counts) for operation in (SERVE, TRACK)] == [0, 0]


def test_a_bound_belongs_to_its_own_bucket_and_larger_values_to_the_last() -> None:
    latencies = Latencies()
    for seconds in (*BOUNDS_S, 60.0):
        latencies.observe("trackEvent", 204, seconds)

    assert latencies.of("trackEvent", "ok").counts == [1] * (len(BOUNDS_S) + 1)
