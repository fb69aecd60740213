"""
Parses a user agent into device type, operating system and browser, from the closed lists of targeting.

An app's web view and its plain HTTP stack get browser ``other`` or unknown: targeting Chrome means the browser itself.
"""

from dataclasses import dataclass
from functools import cache, lru_cache

import re2
from ua_parser import Domain
from ua_parser.loaders import load_builtins
from ua_parser.regex import Resolver

from common.user_agent.user_agent import (
    MAX_USER_AGENT_CHARS,
    find_browser,
    prepare_browsers,
    targeted_browser,
)
from common.values.enums import Browser, DeviceType, OperatingSystem

_KEPT = 16_384


@dataclass(frozen=True, slots=True)
class Device:
    """A parsed user agent. A field is None where it is unknown."""

    type: DeviceType | None
    os: OperatingSystem | None
    browser: Browser | None


UNKNOWN_DEVICE = Device(None, None, None)

_SYSTEMS = {
    "Windows": OperatingSystem.WINDOWS,
    "Mac OS X": OperatingSystem.MACOS,
    "Mac OS": OperatingSystem.MACOS,
    "iOS": OperatingSystem.IOS,
    "Android": OperatingSystem.ANDROID,
    "Chromecast Android": OperatingSystem.ANDROID,
    "Chrome OS": OperatingSystem.CHROMEOS,
} | dict.fromkeys(
    (
        *("Linux", "Ubuntu", "Kubuntu", "Debian", "Fedora", "Red Hat", "CentOS", "Gentoo"),
        *("SUSE", "openSUSE", "Arch Linux", "Linux Mint", "Mint", "Mandriva", "Slackware"),
    ),
    OperatingSystem.LINUX,
)
_APP_STACKS = ("okhttp/", "Dart/", "CFNetwork/", "Dalvik/")

_CONSOLE_MARKS = ("PlayStation", "PLAYSTATION", "Xbox", "Nintendo")
_PHONE_MARKS = ("Mobi", "Phone", "BlackBerry", "BB10", "KAIOS", "Symbian")
# Television: "tv" alone or at the end of a name, and the names of sets whose user agent lacks it.
_TV = re2.compile(
    r"(?i)tv(?:[^a-z0-9]|$)|smart-?tv|[^a-z]tv\d|tv store|bravia|\broku|crkey|web0s|netcast|\bviera|; aft[a-z]"
    r"|\btivo[/-]|sonycebrowser|netrangemmh|ce-html|\bomi/|aquosbrowser|aquos-tv|set-?top|\bstb|mibox|smart ?box"
)
_TABLET = re2.compile(
    r"(?i)tablet|\btab\b|[a-z]tab[ _-]?\d|; kf[a-z]| sm-[txp]\d|lenovo tb|nexus (?:7|9|10)\b|kindle|playbook|\bpad \d"
)

_TYPICAL = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/126.0.0.0 Safari/537.36 Edg/126.0.0.0",
    "Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/17.5 Safari/605.1.15",
    "Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 Chrome/126.0.0.0 Safari/537.36 OPR/111.0.0.0",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148 Safari/604.1",
    "Mozilla/5.0 (Linux; Android 14; Pixel 8; wv) AppleWebKit/537.36 Chrome/126.0.0.0 Mobile Safari/537.36",
    "Mozilla/5.0 (Linux; Android 14; SAMSUNG SM-X910) AppleWebKit/537.36 SamsungBrowser/25.0 Safari/537.36",
    "App/1.2 CFNetwork/1496.0.7 Darwin/23.5.0",
    "curl/8.5.0",
)
"""Typical user agents: parsing them compiles the regular expressions, which happens at the first possible match."""


def device_of(user_agent: str) -> Device:
    """Parses the first `MAX_USER_AGENT_CHARS` characters. Results for recent user agents are cached."""
    return _device(user_agent[:MAX_USER_AGENT_CHARS])


def prepare_devices() -> None:
    """Builds the parsers, which takes half a second: it is called before the first request."""
    prepare_browsers()
    for text in _TYPICAL:
        _device_now(text)


def _device_now(text: str) -> Device:
    try:
        system = _reader()(text, Domain.OS).os
    except UnicodeEncodeError:  # surrogates, from bytes that are not UTF-8
        return UNKNOWN_DEVICE
    os = _system(text, None if system is None else system.family)
    device = _type(text, os)
    return Device(device, os, _browser(text, known=device is not None))


_device = lru_cache(maxsize=_KEPT)(_device_now)


@cache
def _reader() -> Resolver:
    """A parser of systems alone: the system and a few marks determine the type, without the long list of models."""
    _browsers, systems, _models = load_builtins()
    return Resolver(([], systems, []))


def _system(text: str, family: str | None) -> OperatingSystem | None:
    if _has(text, _CONSOLE_MARKS):
        return OperatingSystem.OTHER
    if family is None:
        # Android's usual HTTP stack names no system.
        return OperatingSystem.ANDROID if text.startswith("okhttp/") else None
    if family == "iOS" and "CFNetwork/" in text and "(x86_64)" in text:
        return OperatingSystem.MACOS
    return _SYSTEMS.get(family, OperatingSystem.OTHER)


def _type(text: str, os: OperatingSystem | None) -> DeviceType | None:
    if "iPad" in text:
        return DeviceType.TABLET
    if "iPhone" in text or "iPod" in text:
        return DeviceType.MOBILE
    if _TV.search(text):
        return DeviceType.TV
    return None if os is None else _type_by_system(text, os)


def _type_by_system(text: str, os: OperatingSystem) -> DeviceType:
    match os:
        case OperatingSystem.ANDROID:
            return _android(text)
        case OperatingSystem.IOS:
            return DeviceType.MOBILE
        case OperatingSystem.OTHER:
            return _rare(text)
        case _:
            return DeviceType.MOBILE if " Mobile" in text else DeviceType.DESKTOP


def _android(text: str) -> DeviceType:
    """By Android's rule a browser without the word ``Mobile`` runs on a tablet; an app needs an explicit mark."""
    if _TABLET.search(text):
        return DeviceType.TABLET
    is_browser = text.startswith("Mozilla/")
    return DeviceType.TABLET if is_browser and "Mobile" not in text else DeviceType.MOBILE


def _rare(text: str) -> DeviceType:
    """The device type for an operating system that targeting does not list."""
    if "Tablet" in text:
        return DeviceType.TABLET
    if _has(text, _PHONE_MARKS):
        return DeviceType.MOBILE
    return DeviceType.DESKTOP if "(X11" in text else DeviceType.OTHER


def _browser(text: str, *, known: bool) -> Browser | None:
    """*known*: whether the device is known. Where it is not, the client is a program that names no browser."""
    found = find_browser(text)
    browser = Browser.OTHER if found is None else targeted_browser(found[0])
    if browser is Browser.OTHER and (not known or _has(text, _APP_STACKS)):
        return None
    return browser


def _has(text: str, marks: tuple[str, ...]) -> bool:
    for mark in marks:  # noqa: SIM110 - a generator costs as much as the search
        if mark in text:
            return True
    return False
