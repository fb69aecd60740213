"""Renders the ad breaks of one content as a VMAP 1.0 document."""

from collections.abc import Sequence
from dataclasses import dataclass

from edge.serving.render.vast import VAST_4
from edge.serving.render.xml import XML_HEAD, cdata, clock, element

_NAMESPACE = "http://www.iab.net/videosuite/vmap"


@dataclass(frozen=True, slots=True)
class VmapBreak:
    """
    ``offset``: ``start``, ``end``, or milliseconds from the start of the content.

    Its ads are those of the document ``vast``, or those that the player requests at ``tag_url`` when the break is near.
    Without both it has none.
    """

    id: str
    offset: str | int
    tag_url: str | None = None
    vast: str | None = None


def render_vmap(breaks: Sequence[VmapBreak], version: str = VAST_4) -> str:
    """*version*: of VAST (VMAP 1.0, "AdTagURI")."""
    items = "".join(_break(one, version) for one in breaks)
    return f'{XML_HEAD}<vmap:VMAP xmlns:vmap="{_NAMESPACE}" version="1.0">{items}</vmap:VMAP>'


def _break(one: VmapBreak, version: str) -> str:
    """VMAP 1.0, "AdBreak" and "AdSource"."""
    offset = one.offset if isinstance(one.offset, str) else clock(one.offset)
    return element(
        "vmap:AdBreak",
        _source(one, version),
        timeOffset=offset,
        breakType="linear",
        breakId=one.id,
    )


def _source(one: VmapBreak, version: str) -> str:
    if one.vast is not None:
        inside = element("vmap:VASTAdData", one.vast.removeprefix(XML_HEAD))
    elif one.tag_url is not None:
        template = f"vast{version.partition('.')[0]}"
        inside = element("vmap:AdTagURI", cdata(one.tag_url), templateType=template)
    else:
        return ""
    return element("vmap:AdSource", inside, id=one.id, allowMultipleAds=True, followRedirects=True)
