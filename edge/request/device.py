"""
What kind of device, system and browser a user agent says it is, in the closed words that targeting has.

An app's web view and its plain HTTP stack are browser ``other`` or unknown: who aims at Chrome means Chrome.
"""

from dataclasses import dataclass
from functools import cache, lru_cache

import re2
from ua_parser import Domain
from ua_parser.loaders import load_builtins
from ua_parser.regex import Resolver

from common.user_agent.user_agent import MAX_USER_AGENT_CHARS
from common.values.enums import Browser, DeviceType, OperatingSystem

_KEPT = 16_384


@dataclass(frozen=True, slots=True)
class Device:
    """None: not known."""

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
_BROWSERS = (
    dict.fromkeys(("Chrome", "Chrome Mobile", "Chrome Mobile iOS", "Chromium"), Browser.CHROME)
    | dict.fromkeys(("Safari", "Mobile Safari"), Browser.SAFARI)
    | dict.fromkeys(("Firefox", "Firefox Mobile", "Firefox iOS"), Browser.FIREFOX)
    | dict.fromkeys(("Edge", "Edge Mobile"), Browser.EDGE)
    | dict.fromkeys(("Opera", "Opera Mobile", "Opera Mini", "Opera Touch"), Browser.OPERA)
    | {"Samsung Internet": Browser.SAMSUNG}
)
_APP_STACKS = ("okhttp/", "Dart/", "CFNetwork/", "Dalvik/")

_CONSOLE_MARKS = ("PlayStation", "PLAYSTATION", "Xbox", "Nintendo")
_PHONE_MARKS = ("Mobi", "Phone", "BlackBerry", "BB10", "KAIOS", "Symbian")
# Television: the word alone or at the end of a name, and what sets without it call themselves.
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
"""What most calls are like; expressions are compiled at the first text that may match them."""


def device_of(user_agent: str) -> Device:
    """Remembered for the user agents seen last; reads their first `MAX_USER_AGENT_CHARS` characters."""
    return _device(user_agent[:MAX_USER_AGENT_CHARS])


def prepare_devices() -> None:
    """Builds what reads user agents, which takes half a second: before the first request, not in it."""
    for text in _TYPICAL:
        _device_now(text)


def _device_now(text: str) -> Device:
    try:
        read = _reader()(text, Domain.USER_AGENT | Domain.OS)
    except UnicodeEncodeError:  # bytes that were no text
        return UNKNOWN_DEVICE
    family = None if read.user_agent is None else read.user_agent.family
    os = _system(text, None if read.os is None else read.os.family)
    device = _type(text, os)
    return Device(device, os, _browser(text, family, known=device is not None))


_device = lru_cache(maxsize=_KEPT)(_device_now)


@cache
def _reader() -> Resolver:
    """Without the list of models, the longest of the three: the type follows from the system and a few marks."""
    browsers, systems, _models = load_builtins()
    return Resolver((browsers, systems, []))


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
    """A browser without the word ``Mobile`` is on a tablet, as Android's rule is; apps only where they say so."""
    if _TABLET.search(text):
        return DeviceType.TABLET
    is_browser = text.startswith("Mozilla/")
    return DeviceType.TABLET if is_browser and "Mobile" not in text else DeviceType.MOBILE


def _rare(text: str) -> DeviceType:
    """Of a system that targeting has no word for."""
    if "Tablet" in text:
        return DeviceType.TABLET
    if _has(text, _PHONE_MARKS):
        return DeviceType.MOBILE
    return DeviceType.DESKTOP if "(X11" in text else DeviceType.OTHER


def _browser(text: str, family: str | None, *, known: bool) -> Browser | None:
    """*known*: whether the device is; where nothing is, the rest is some program that names no browser."""
    word = _BROWSERS.get(family or "")
    if word is not None:
        return word
    if not known or _has(text, _APP_STACKS):
        return None
    return Browser.OTHER


def _has(text: str, marks: tuple[str, ...]) -> bool:
    for mark in marks:  # noqa: SIM110 - a generator costs as much as the search
        if mark in text:
            return True
    return False
