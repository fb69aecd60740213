"""Verifying a property by a tag in its front page, through the API."""

import pytest

from tests.control.inventory.domain_verification.conftest import Outside


async def test_a_tag_in_the_head_verifies(outside: Outside) -> None:
    owner = await outside.owner()
    site = await owner.make()
    started = (await owner.start(site, "html_tag")).json()
    outside.show(
        site["domain"], '<meta name="service-ad-verification" content="x">' + started["tag"]
    )

    found = (await owner.verify(site)).json()

    assert found["verified"], found
    assert found["saw"][0]["values"] == ["x", started["token"]]
    assert found["saw"][0]["status"] == 200


async def test_a_tag_in_the_body_proves_nothing(outside: Outside) -> None:
    owner = await outside.owner()
    site = await owner.make()
    started = (await owner.start(site, "html_tag")).json()
    outside.show(site["domain"], f"</head><body><p>{started['tag']}</p>")

    found = (await owner.verify(site)).json()

    assert (found["verified"], found["problem"]) == (False, "tag_missing")


async def test_the_tag_of_another_account_is_ignored(outside: Outside) -> None:
    owner, other = await outside.owner(), await outside.owner()
    site, theirs = await owner.make(), await other.make()
    await owner.start(site, "html_tag")
    outside.show(site["domain"], (await other.start(theirs, "html_tag")).json()["tag"])

    found = (await owner.verify(site)).json()

    assert (found["verified"], found["problem"]) == (False, "tag_differs")


@pytest.mark.parametrize("status", ["404 Not Found", "403 Forbidden", "500 Oops"])
async def test_an_error_page_proves_nothing(outside: Outside, status: str) -> None:
    owner = await outside.owner()
    site = await owner.make()
    tag = (await owner.start(site, "html_tag")).json()["tag"]
    outside.show(site["domain"], tag, status=status)

    found = (await owner.verify(site)).json()

    assert (found["verified"], found["problem"]) == (False, "page_not_ok")
    assert found["saw"][0]["status"] == int(status[:3])


async def test_redirects_within_the_domain_are_followed_and_shown(outside: Outside) -> None:
    owner = await outside.owner()
    site = await owner.make()
    www = f"www.{site['domain']}"
    outside.show(www, (await owner.start(site, "html_tag")).json()["tag"])
    outside.show(site["domain"], "")
    outside.site.redirect(f"{site['domain']}/", f"http://{www}:{outside.site.port}/")

    found = (await owner.verify(site)).json()

    assert found["verified"]
    assert found["saw"][0]["source"] == f"http://{www}:{outside.site.port}/"
    assert len(found["saw"][0]["redirects"]) == 1


async def test_a_page_of_another_domain_proves_nothing(outside: Outside) -> None:
    owner = await outside.owner()
    site = await owner.make()
    outside.show("brand.example.org", (await owner.start(site, "html_tag")).json()["tag"])
    outside.show(site["domain"], "")
    outside.site.redirect(f"{site['domain']}/", f"http://brand.example.org:{outside.site.port}/")

    found = (await owner.verify(site)).json()

    assert (found["verified"], found["problem"]) == (False, "page_elsewhere")


async def test_a_private_address_is_refused_with_the_reason(outside: Outside) -> None:
    owner = await outside.owner()
    site = await owner.make()
    await owner.start(site, "html_tag")
    for server in (outside.one, outside.other):
        server.address(site["domain"], "10.0.0.7")

    found = (await owner.verify(site)).json()

    assert (found["verified"], found["problem"]) == (False, "page_refused")
    assert found["saw"][0]["outcome"] == "address_not_public"


async def test_a_name_without_an_address_is_unreachable(outside: Outside) -> None:
    owner = await outside.owner()
    site = await owner.make()
    await owner.start(site, "html_tag")

    assert (await owner.verify(site)).json()["problem"] == "page_unreachable"
