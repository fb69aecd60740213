"""
Rules of VAST documents, each with the section of the standard that it comes from, by its heading. They hold the order,
the number and the attributes of the elements that Placard writes.
"""

import re
from collections.abc import Iterator
from typing import Final
from xml.etree import ElementTree as ET

_CLOCK = re.compile(r"\d{2}:[0-5]\d:[0-5]\d(\.\d{3})?")
_BASE_4: Final = ("AdSystem", "Error", "Impression", "ViewableImpression")
_ORDER: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "4.2": {
        "InLine": (
            *(*_BASE_4, "AdServingId", "AdTitle", "AdVerifications", "Advertiser", "Category"),
            *("Creatives", "Expires"),
        ),
        "Wrapper": (*_BASE_4, "AdVerifications", "Creatives", "VASTAdTagURI"),
        "Creative": ("CompanionAds", "Linear", "UniversalAdId"),
        "Linear": ("Icons", "TrackingEvents", "Duration", "MediaFiles", "VideoClicks"),
        "MediaFiles": ("MediaFile", "Mezzanine"),
        "VideoClicks": ("ClickTracking", "ClickThrough"),
        "Companion": ("StaticResource", "AltText", "CompanionClickThrough"),
        "Verification": ("JavaScriptResource", "TrackingEvents", "VerificationParameters"),
    },
    "3.0": {
        "InLine": (
            *("AdSystem", "AdTitle", "Advertiser", "Error", "Impression", "Creatives"),
            "Extensions",
        ),
        "Wrapper": ("AdSystem", "VASTAdTagURI", "Error", "Impression", "Creatives", "Extensions"),
        "Creative": ("Linear", "CompanionAds"),
        "Linear": ("Icons", "Duration", "TrackingEvents", "VideoClicks", "MediaFiles"),
        "MediaFiles": ("MediaFile",),
        "VideoClicks": ("ClickThrough", "ClickTracking"),
        "Companion": ("StaticResource", "CompanionClickThrough", "AltText"),
    },
}
"""Sections of the elements' names, and the schemas of both versions."""
_ONCE: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "4.2": {
        "InLine": ("AdSystem", "AdServingId", "AdTitle", "Creatives"),
        "Wrapper": ("AdSystem", "VASTAdTagURI"),
    },
    "3.0": {
        "InLine": ("AdSystem", "AdTitle", "Creatives"),
        "Wrapper": ("AdSystem", "VASTAdTagURI", "Creatives"),
    },
}
_ATTRIBUTES: Final[dict[str, frozenset[str]]] = {
    "MediaFile": frozenset({"delivery", "type", "width", "height"}),
    "Mezzanine": frozenset({"delivery", "type", "width", "height"}),
    "Companion": frozenset({"width", "height"}),
    "Icon": frozenset({"program", "width", "height", "xPosition", "yPosition"}),
    "StaticResource": frozenset({"creativeType"}),
    "Tracking": frozenset({"event"}),
    "UniversalAdId": frozenset({"idRegistry"}),
    "Category": frozenset({"authority"}),
}
"""Required attributes ("MediaFile", "Mezzanine", "Companion", "Icon", "UniversalAdId", "Category" of 4.2)."""
_QUARTILES: Final = {"start", "firstQuartile", "midpoint", "thirdQuartile", "complete", "skip"}


def faults_of(root: ET.Element, version: str) -> list[str]:
    """*root*: without namespaces. An empty list for a document that keeps all rules."""
    found = [] if root.get("version") == version else ["VAST: the attribute `version` ('VAST')"]
    for parent in root.iter():
        found += _order_faults(parent, version)
        missing = _ATTRIBUTES.get(parent.tag, frozenset()) - set(parent.keys())
        found += [f"{parent.tag}: required attributes {sorted(missing)}"] if missing else []
        found += _text_faults(parent)
    for ad in root:
        found += _ad_faults(ad, version)
    return found


def _order_faults(parent: ET.Element, version: str) -> Iterator[str]:
    order = _ORDER[version].get(parent.tag)
    names = [child.tag for child in parent]
    if order is None:
        return
    if unknown := set(names) - set(order):
        yield f"{parent.tag}: unknown {sorted(unknown)}"
    elif [order.index(name) for name in names] != sorted(order.index(name) for name in names):
        yield f"{parent.tag}: order {names}"
    for name in _ONCE[version].get(parent.tag, ()):
        if names.count(name) != 1:
            yield f"{parent.tag}: {names.count(name)} × {name}"


def _text_faults(one: ET.Element) -> Iterator[str]:
    """Sections "Duration" and "Linear" (`skipoffset`)."""
    if one.tag == "Duration" and not _CLOCK.fullmatch(one.text or ""):
        yield f"Duration: {one.text}"
    offset = one.get("skipoffset")
    if offset is not None and not _CLOCK.fullmatch(offset):
        yield f"Linear: skipoffset {offset}"


def _ad_faults(ad: ET.Element, version: str) -> Iterator[str]:
    if ad.tag != "Ad" or len(ad) != 1:
        yield 'VAST: holds only Ad, with one InLine or Wrapper ("Ad")'
        return
    if not ad.findall("*/Impression"):
        yield 'Ad: no Impression ("Impression")'
    events = {one.get("event") for one in ad.findall("*/Creatives/Creative/Linear//Tracking")}
    if events != _QUARTILES:
        yield f'Linear: events {sorted(map(str, events))} ("Tracking Events")'
    if ad.find("InLine") is None:
        return
    if not ad.findall(".//Linear/MediaFiles/MediaFile"):
        yield 'Linear: no MediaFile ("MediaFiles")'
    creatives = ad.findall("InLine/Creatives/Creative")
    if version == "4.2" and any(one.find("UniversalAdId") is None for one in creatives):
        yield 'Creative: no UniversalAdId ("UniversalAdId")'
