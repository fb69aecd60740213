"""Which URLs an ad may carry, and who advertises by them."""

import pytest
from pydantic_core import PydanticCustomError

from control.demand.ads.urls import advertiser_domain_of, parse_click_url, parse_url


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://shop.example.com/a?b=1#c", "https://shop.example.com/a?b=1#c"),
        ("https://SHOP.Example.COM", "https://shop.example.com/"),
        ("https://shop.example.com:8443/", "https://shop.example.com:8443/"),
        ("https://bücher.example/ä", "https://xn--bcher-kva.example/%C3%A4"),
        (
            "https://e.example.com/?c={click_id}&t={timestamp}",
            "https://e.example.com/?c={click_id}&t={timestamp}",
        ),
        ("https://e.example.com/%7Bx%7D", "https://e.example.com/%7Bx%7D"),
        ("http://127.0.0.1:3000/a?c={click_id}", "http://127.0.0.1:3000/a?c={click_id}"),
        ("https://localhost:8443/a?c={click_id}", "https://localhost:8443/a?c={click_id}"),
    ],
)
def test_a_click_url_comes_in_one_spelling(text: str, expected: str) -> None:
    assert parse_click_url(text) == expected


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("http://example.com/", "url_not_https"),
        ("http://127.0.0.1.example.com/", "url_not_https"),
        ("http://localhost/<b>", "url_invalid"),
        ("javascript:alert(1)", "url_not_https"),
        ("//example.com/", "url_not_https"),
        ("https://user:pw@example.com/", "url_credentials"),
        ("https://example.com@evil.example/", "url_credentials"),
        ("https://example.com\\@evil.example/", "url_invalid"),
        ("https://exa mple.com/", "url_invalid"),
        ("https://example.com/\r\nSet-Cookie: a=b", "url_invalid"),
        ("https://example.com:99999/", "url_invalid"),
        ("https://[::1/", "url_invalid"),
        ("https://[::1]/", "host_invalid"),
        ("https:///path", "host_invalid"),
        ("https://127.0.0.1/", "host_is_address"),
        ("https://2130706433/", "host_is_address"),
        ("https://127.1/", "host_is_address"),
        ("https://0x7f000001/", "host_is_address"),
        ("https://8.8.8.8/", "host_is_address"),
        ("https://www.localhost/", "host_private"),
        ("https://localhost.example.com:x/", "url_invalid"),
        ("https://printer.local/", "host_private"),
        ("https://metadata.google.internal/", "host_private"),
        ("https://intranet/", "host_private"),
        ("https://{click_id}.example.com/", "host_invalid"),
        ("https://example.com/?x={user_id}", "macro_unknown"),
        ("https://example.com/?x={{click_id}}", "macro_unknown"),
        ("https://example.com/?x={click_id", "macro_unbalanced"),
        ("https://example.com/" + "ä" * 1000, "url_too_long"),
    ],
)
def test_a_click_url_that_is_none_is_refused(text: str, code: str) -> None:
    with pytest.raises(PydanticCustomError) as caught:
        parse_click_url(text)

    assert caught.value.type == code


def test_macros_are_for_click_urls_only() -> None:
    with pytest.raises(PydanticCustomError) as caught:
        parse_url("https://example.com/?x={click_id}")

    assert caught.value.type == "macro_not_allowed"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://shop.example.com/", "example.com"),
        ("https://example.com/", "example.com"),
        ("https://a.b.loja.com.br/", "loja.com.br"),
        ("https://www.shop.co.uk/", "shop.co.uk"),
        ("https://com.br/", "com.br"),
        ("https://casa.adv.br/", "casa.adv.br"),
        ("https://me.github.io/", "me.github.io"),
        ("https://shop.co.example/", "co.example"),
        ("https://localhost:8443/", "localhost"),
        (None, None),
    ],
)
def test_the_advertiser_is_the_registrable_domain(url: str | None, expected: str | None) -> None:
    assert advertiser_domain_of(url) == expected
