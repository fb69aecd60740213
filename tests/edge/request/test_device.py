"""What real user agents say of their device, system and browser."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.request.device import UNKNOWN_DEVICE, device_of

ANDROID_CHROME = (
    "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0"
)
WINDOWS_CHROME = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0"
IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)"
WEBVIEW = (
    "AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/126.0.6478.50 Mobile Safari/537.36"
)

TABLE: dict[str, tuple[str, str]] = {
    "Chrome on Windows": ("desktop windows chrome", f"{WINDOWS_CHROME} Safari/537.36"),
    "Edge": ("desktop windows edge", f"{WINDOWS_CHROME} Safari/537.36 Edg/126.0.0.0"),
    "Opera": ("desktop windows opera", f"{WINDOWS_CHROME} Safari/537.36 OPR/111.0.0.0"),
    "Vivaldi": ("desktop windows other", f"{WINDOWS_CHROME} Safari/537.36 Vivaldi/6.8"),
    "Internet Explorer, its tablet services on": (
        "desktop windows other",
        "Mozilla/5.0 (Windows NT 6.1; WOW64; Trident/7.0; Tablet PC 2.0; rv:11.0) like Gecko",
    ),
    "Safari": (
        "desktop macos safari",
        (
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) "
            "Version/17.5 Safari/605.1.15"
        ),
    ),
    "Firefox on Ubuntu": (
        "desktop linux firefox",
        "Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0",
    ),
    "Firefox on FreeBSD": (
        "desktop other firefox",
        "Mozilla/5.0 (X11; FreeBSD amd64; rv:120.0) Gecko/20100101 Firefox/120.0",
    ),
    "Chromebook": (
        "desktop chromeos chrome",
        (
            "Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) "
            "Chrome/126.0.0.0 Safari/537.36"
        ),
    ),
    "Safari on iPhone": (
        "mobile ios safari",
        f"{IPHONE} Version/17.5 Mobile/15E148 Safari/604.1",
    ),
    "Chrome on iPhone": (
        "mobile ios chrome",
        f"{IPHONE} CriOS/126.0.6478.54 Mobile/15E148 Safari/604.1",
    ),
    "Firefox on iPhone": (
        "mobile ios firefox",
        f"{IPHONE} FxiOS/127.0 Mobile/15E148 Safari/605.1.15",
    ),
    "Edge on iPhone": (
        "mobile ios edge",
        f"{IPHONE} EdgiOS/125.0.2535.96 Version/17.0 Mobile/15E148 Safari/604.1",
    ),
    "Opera on iPhone": ("mobile ios opera", f"{IPHONE} OPT/4.7.0 Mobile/15E148"),
    "a web view on iPhone": ("mobile ios other", f"{IPHONE} Mobile/15E148"),
    "Instagram on iPhone": (
        "mobile ios other",
        f"{IPHONE} Mobile/15E148 Instagram 336.0.3.26.98 (iPhone14,5; iOS 17_5; en_US)",
    ),
    "Safari on iPad": (
        "tablet ios safari",
        (
            "Mozilla/5.0 (iPad; CPU OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
            "Version/17.5 Mobile/15E148 Safari/604.1"
        ),
    ),
    "Chrome on an Android phone": (
        "mobile android chrome",
        f"{ANDROID_CHROME} Mobile Safari/537.36",
    ),
    "Chrome on an Android tablet": ("tablet android chrome", f"{ANDROID_CHROME} Safari/537.36"),
    "Edge on Android": (
        "mobile android edge",
        f"{ANDROID_CHROME} Mobile Safari/537.36 EdgA/126.0.0.0",
    ),
    "Opera on Android": (
        "mobile android opera",
        f"{ANDROID_CHROME} Mobile Safari/537.36 OPR/82.0.0.0",
    ),
    "Opera Mini": (
        "mobile android opera",
        "Opera/9.80 (Android; Opera Mini/36.2.2254/119.132; U; id) Presto/2.12.423 Version/12.16",
    ),
    "Yandex Browser": (
        "mobile android other",
        f"{ANDROID_CHROME} YaBrowser/24.4.0.141.00 SA/3 Mobile Safari/537.36",
    ),
    "Samsung's browser": (
        "mobile android samsung",
        (
            "Mozilla/5.0 (Linux; Android 14; SAMSUNG SM-S928B) AppleWebKit/537.36 (KHTML, like Gecko) "
            "SamsungBrowser/25.0 Chrome/121.0.0.0 Mobile Safari/537.36"
        ),
    ),
    "Samsung's browser on its tablet": (
        "tablet android samsung",
        (
            "Mozilla/5.0 (Linux; Android 14; SAMSUNG SM-X910) AppleWebKit/537.36 (KHTML, like Gecko) "
            "SamsungBrowser/25.0 Chrome/121.0.0.0 Safari/537.36"
        ),
    ),
    "Firefox on an Android tablet": (
        "tablet android firefox",
        "Mozilla/5.0 (Android 14; Tablet; rv:127.0) Gecko/127.0 Firefox/127.0",
    ),
    "a web view on Android": (
        "mobile android other",
        f"Mozilla/5.0 (Linux; Android 14; Pixel 8 Build/UD1A; wv) {WEBVIEW}",
    ),
    "Facebook on Android": (
        "mobile android other",
        f"Mozilla/5.0 (Linux; Android 13; SM-A536B Build/TP1A; wv) {WEBVIEW} [FB_IAB/FB4A;FBAV/468.0.0.56.78;]",
    ),
    "Silk on a Fire tablet": (
        "tablet android other",
        (
            "Mozilla/5.0 (Linux; Android 11; KFTRWI) AppleWebKit/537.36 (KHTML, like Gecko) "
            "Silk/126.2 like Chrome/126.0.0.0 Safari/537.36"
        ),
    ),
    "an app by Dalvik": (
        "mobile android -",
        "Dalvik/2.1.0 (Linux; U; Android 14; Pixel 8 Build/UD1A.230803.041)",
    ),
    "an app by okhttp": ("mobile android -", "okhttp/4.12.0"),
    "an app by CFNetwork": ("mobile ios -", "MyApp/1.2 CFNetwork/1496.0.7 Darwin/23.5.0"),
    "an app by CFNetwork on a Mac": (
        "desktop macos -",
        "MyApp/1.2 CFNetwork/1496.0.7 Darwin/23.5.0 (x86_64)",
    ),
    "an app by Dart, which does not say where": ("- - -", "Dart/3.4 (dart:io)"),
    "an app by Dart that says where": (
        "mobile ios -",
        "Shop/1.0 (iOS 17.5; iPhone15,2) Dart/3.4",
    ),
    "an app that says its tablet": ("tablet ios other", "Shop/1.0 (iPad; iOS 17.5)"),
    "an app that says its phone": ("mobile android other", "Shop/1.0 (Android 14; Pixel 8)"),
    "a Linux phone": (
        "mobile linux chrome",
        "Mozilla/5.0 (X11; Linux aarch64) AppleWebKit/537.36 Chrome/126.0 Mobile Safari/537.36",
    ),
    "Xiaomi's TV": (
        "tv android other",
        (
            "Mozilla/5.0 (Linux; U; Android 9; en-us; Mi TV Build) AppleWebKit/537.36 Chrome/66 "
            "Mobile Safari/537.36 XiaoMi/MiuiBrowser/11"
        ),
    ),
    "Samsung's TV": (
        "tv other safari",
        (
            "Mozilla/5.0 (SMART-TV; Linux; Tizen 7.0) AppleWebKit/537.36 (KHTML, like Gecko) "
            "94.0.4606.31/7.0 TV Safari/537.36"
        ),
    ),
    "LG's TV": (
        "tv other chrome",
        (
            "Mozilla/5.0 (Web0S; Linux/SmartTV) AppleWebKit/537.36 (KHTML, like Gecko) "
            "Chrome/94.0.4606.128 Safari/537.36 WebAppManager"
        ),
    ),
    "Fire TV": (
        "tv android other",
        f"Mozilla/5.0 (Linux; Android 9; AFTSSS Build/PS7624; wv) {WEBVIEW}",
    ),
    "Apple TV": (
        "tv other other",
        "AppleCoreMedia/1.0.0.21L227 (Apple TV; U; CPU OS 17_4 like Mac OS X; en_us)",
    ),
    "Roku": ("tv other other", "Roku/DVP-12.5 (12.5.0.4178-88)"),
    "PlayStation": (
        "other other safari",
        (
            "Mozilla/5.0 (PlayStation; PlayStation 5/9.00) AppleWebKit/605.1.15 (KHTML, like Gecko) "
            "Version/17.0 Safari/605.1.15"
        ),
    ),
    "KaiOS": (
        "mobile other firefox",
        "Mozilla/5.0 (Mobile; Nokia_2720; rv:48.0) Gecko/48.0 Firefox/48.0 KAIOS/2.5.2",
    ),
    "Windows Phone": (
        "mobile other edge",
        (
            "Mozilla/5.0 (Windows Phone 10.0; Android 6.0.1; Microsoft; Lumia 950) AppleWebKit/537.36 "
            "(KHTML, like Gecko) Chrome/52.0.2743.116 Mobile Safari/537.36 Edge/15.15063"
        ),
    ),
    "Googlebot": (
        "- - -",
        "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    ),
    "curl": ("- - -", "curl/8.5.0"),
    "a server's program": ("- - -", "python-requests/2.32"),
}


@pytest.mark.parametrize("name", TABLE)
def test_a_user_agent_is_read_as_its_device(name: str) -> None:
    expected, user_agent = TABLE[name]
    found = device_of(user_agent)
    assert " ".join(part or "-" for part in (found.type, found.os, found.browser)) == expected


@given(st.text(max_size=1500) | st.text(alphabet="Mozila/5.0 (;)AndroidX1", max_size=1500))
def test_any_text_is_read(text: str) -> None:
    found = device_of(text)
    assert found.type is not None or found.os is None


@pytest.mark.parametrize("text", ["\udcff\udcfe", "", "\0" * 2000, "(" * 5000])
def test_a_user_agent_without_information_is_unknown(text: str) -> None:
    assert device_of(text) == UNKNOWN_DEVICE


def test_only_the_first_1024_characters_are_read() -> None:
    assert device_of("x" * 1024 + TABLE["Edge"][1]) == UNKNOWN_DEVICE
