"""The size of playlists with absolute addresses."""

import pytest

from edge.audio.multivariant import variant_urls
from edge.audio.playlist import parse_media_playlist
from edge.audio.playlist_lines import NotStitchable

SHORT = "https://cdn.example/show.m3u8"
LONG = f"https://cdn.example/{'a' * 1500}/show.m3u8"
TAGS = "".join([f'#EXT-X-{name}:URI="i"\n' for name in ["MAP", "SESSION-DATA"] * 3000])
MEDIA = f"#EXTM3U\n{TAGS}#EXTINF:6,\ns0.ts\n"
MASTER = f"#EXTM3U\n{TAGS}#EXT-X-STREAM-INF:BANDWIDTH=64000\na.m3u8\n"


def test_many_addresses_do_not_multiply_a_long_address_of_the_playlist() -> None:
    assert parse_media_playlist(MEDIA, SHORT).duration_ms == 6000
    assert variant_urls(MASTER, SHORT) == ["https://cdn.example/a.m3u8"]
    with pytest.raises(NotStitchable, match="too long"):
        parse_media_playlist(MEDIA, LONG)
    with pytest.raises(NotStitchable, match="too long"):
        variant_urls(MASTER, LONG)
