"""The position in a live playlist, as its variants are read."""

from edge.audio.playlist import MediaPlaylist, parse_media_playlist
from edge.audio.sessions import AudioSession, SessionBreak
from edge.stitching.live import LivePositions


def a_session(*offsets_ms: int) -> AudioSession:
    breaks = [SessionBreak(one, ()) for one in offsets_ms]
    return AudioSession("property", "", "", "hls", 0, breaks=breaks)


def a_window(first: int, second: int | None = None) -> MediaPlaylist:
    """Five segments of six seconds. *second*: of the minute, at which the first one began."""
    lines = ["#EXTM3U", "#EXT-X-TARGETDURATION:6", f"#EXT-X-MEDIA-SEQUENCE:{first}"]
    if second is not None:
        lines.append(f"#EXT-X-PROGRAM-DATE-TIME:2026-03-01T12:00:{second:02}Z")
    for number in range(first, first + 5):
        lines += ["#EXTINF:6,", f"s{number}.ts"]
    return parse_media_playlist("\n".join(lines) + "\n", "https://cdn.example/live.m3u8")


def placed(positions: LivePositions, variant: str) -> dict[str, int | None]:
    return positions.variants[variant].placed


def test_variants_with_the_same_numbers_have_breaks_at_the_same_numbers() -> None:
    session = a_session(0, 6_000)
    first = LivePositions().advance(session, a_window(10), "a", 0)
    same = first.advance(session, a_window(10), "b", 3_000)
    newer = first.advance(session, a_window(12), "b", 13_000)
    older = first.advance(session, a_window(8), "b", 0)

    assert placed(first, "a") == {"0": 12, "1": 13}
    assert [placed(one, "b") for one in (same, newer, older)] == [{"0": 12, "1": 13}] * 3


def test_variants_with_other_numbers_are_aligned_by_their_dates() -> None:
    session = a_session(0, 6_000)
    first = LivePositions().advance(session, a_window(10, 0), "a", 0)
    lagging = first.advance(session, a_window(11, 6), "b", 90_000)
    counted_otherwise = first.advance(session, a_window(700, 6), "b", 90_000)

    assert placed(lagging, "b") == {"0": 12, "1": 13}
    assert placed(counted_otherwise, "b") == {"0": 701, "1": 702}


def test_variants_without_dates_end_at_the_same_time() -> None:
    session = a_session(0, 6_000)
    first = LivePositions().advance(session, a_window(10), "a", 0)
    other = first.advance(session, a_window(701), "b", 6_000)

    assert placed(other, "b") == {"0": 702, "1": 703}


def test_a_break_that_has_played_does_not_play_again_in_another_variant() -> None:
    session = a_session(0, 120_000)
    first = LivePositions().advance(session, a_window(10), "a", 0)
    other = LivePositions.parse(first.encode()).advance(session, a_window(710), "b", 60_000)

    assert placed(other, "b") == {"0": None}


def test_a_place_never_changes() -> None:
    session = a_session(0, 20_000)
    positions = LivePositions()
    for first in (10, 12, 16, 2**53, 10):
        positions = positions.advance(session, a_window(first), "", 0)
        found = placed(positions, "")
        assert found["0"] == 12
    assert found == {"0": 12, "1": 16}
