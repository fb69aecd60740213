"""Detects a file's type from its first bytes alone, because names and headers come from the sender."""

import re
from dataclasses import dataclass

from common.service.asset_folder import MEDIA_TYPES
from common.values.enums import AssetKind

_MP4_BRANDS = frozenset(
    {b"isom", b"iso2", b"iso3", b"iso4", b"iso5", b"iso6", b"mp41", b"mp42", b"avc1", b"dash"}
    | {b"M4V ", b"M4A ", b"M4B ", b"MSNV", b"f4v "}
)
_SOUND_BRANDS = frozenset({b"M4A ", b"M4B "})
_AVIF_BRANDS = frozenset({b"avif", b"avis"})
_TAG = re.compile(
    rb"\xef?\xbb?\xbf?[\t\n\x0c\r ]*<(!doctype html|!--|"
    rb"(html|head|body|title|meta|link|style|script|div|span|p|a|img|table|section|main|h1|iframe)(?=[\s>/]))",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Sniffed:
    """``container``: our name of the format; ``kinds``: the kinds it may hold, the likeliest first."""

    container: str
    kinds: tuple[AssetKind, ...]

    @property
    def kind(self) -> AssetKind:
        return self.kinds[0]

    def media_type(self, kind: AssetKind) -> str:
        """The media type to assume before the file is inspected."""
        if self.container == "mp4" and kind is AssetKind.AUDIO:
            return MEDIA_TYPES["m4a"]
        extension = "jpg" if self.container == "jpeg" else self.container
        return MEDIA_TYPES[extension].partition(";")[0]


def sniff(head: bytes) -> Sniffed | None:
    """
    Detect the type from *head*: some kilobytes, or a whole shorter file. None for other types, such as SVG and
    archives.
    """
    found = _image(head) or _sound(head) or _film(head)
    if found is not None:
        return found
    return Sniffed("html", (AssetKind.HTML,)) if _TAG.match(head) else None


def _image(head: bytes) -> Sniffed | None:
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        return Sniffed("png", (AssetKind.IMAGE,))
    if head.startswith(b"\xff\xd8\xff"):
        return Sniffed("jpeg", (AssetKind.IMAGE,))
    if head.startswith((b"GIF87a", b"GIF89a")):
        return Sniffed("gif", (AssetKind.IMAGE,))
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return Sniffed("webp", (AssetKind.IMAGE,))
    if head[4:8] == b"ftyp" and head[8:12] in _AVIF_BRANDS:
        return Sniffed("avif", (AssetKind.IMAGE,))
    return None


def _sound(head: bytes) -> Sniffed | None:
    if head.startswith(b"RIFF") and head[8:12] == b"WAVE":
        return Sniffed("wav", (AssetKind.AUDIO,))
    if head.startswith(b"OggS"):
        return Sniffed("ogg", (AssetKind.AUDIO,))
    if head.startswith(b"ID3"):
        return Sniffed("mp3", (AssetKind.AUDIO,))
    if len(head) > 1 and head[0] == 0xFF:  # noqa: PLR2004 - the first eight bits of a frame's sync word
        if head[1] & 0xE6 == 0xE2:  # noqa: PLR2004 - ISO 11172-3: sync, any version, layer III
            return Sniffed("mp3", (AssetKind.AUDIO,))
        if head[1] & 0xF6 == 0xF0:  # noqa: PLR2004 - ISO 13818-7: ADTS, layer 0
            return Sniffed("aac", (AssetKind.AUDIO,))
    return None


def _film(head: bytes) -> Sniffed | None:
    if head[4:8] == b"ftyp" and head[8:12] in _MP4_BRANDS:
        kinds = (AssetKind.VIDEO, AssetKind.AUDIO)
        return Sniffed("mp4", kinds[::-1] if head[8:12] in _SOUND_BRANDS else kinds)
    if head.startswith(b"\x1aE\xdf\xa3") and b"webm" in head[:64]:
        return Sniffed("webm", (AssetKind.VIDEO,))
    return None
