"""The first steps: from an empty account to a first impression; each step detects by itself whether it is done."""

from collections.abc import Mapping
from typing import Any

from common.values.environment import Environment
from common.values.errors import ErrorCode, Refused, not_found
from common.values.messages import Message
from control.dashboard.campaigns.summary_text import complete_terms, words_for
from control.dashboard.onboarding import sample
from control.dashboard.onboarding.going_live import copy_to_live, going_live_of, launch_copy
from control.dashboard.onboarding.queries import (
    OnboardingStep,
    Progress,
    progress_of,
    read_slot_requests,
)
from control.dashboard.page import PageRoute, Redirected, Rendered, Result
from control.dashboard.page_request import PageRequest
from control.dashboard.policy import origin_of
from control.dashboard.properties import verification
from control.dashboard.properties.form import created_of as property_of
from control.dashboard.sdk import pin_element
from control.dashboard.slots.form import USUAL_SIZES
from control.dashboard.slots.form import created_of as slot_of
from control.dashboard.slots.snippets import snippets_of
from control.inventory.api_keys import operations as keys
from control.inventory.properties import operations as properties
from control.inventory.slots import operations as slots


async def show(view: PageRequest) -> Result:
    return await _steps(view, None)


async def add_property(view: PageRequest) -> Result:
    await view.call(properties.CREATE, body=property_of(view))
    return _on(view)


async def choose_proof(view: PageRequest) -> Result:
    await verification.start(view, await _property_id(view))
    return _on(view)


async def check_domain(view: PageRequest) -> Result:
    """Does not redirect: only this response shows what was seen."""
    return await _steps(view, await verification.check(view, await _property_id(view)))


async def add_slot(view: PageRequest) -> Result:
    await view.call(slots.CREATE, body=slot_of(view, await _property_id(view)))
    return _on(view)


async def add_key(view: PageRequest) -> Result:
    await sample.create_key(view, await _property_id(view), view.form_field("name"))
    return _on(view)


async def create_sample(view: PageRequest) -> Result:
    """Leads to the test page, which shows the ad."""
    _check_test(view)
    await sample.create(view, await _progress(view))
    return Redirected(view.url("test_page"))


async def discard_sample(view: PageRequest) -> Result:
    progress = await _progress(view)
    if progress.sample_id is None:
        raise not_found()
    await sample.discard(view, progress.sample_id)
    return Redirected(view.url("first_steps"), flash="sample_discarded")


async def go_live(view: PageRequest) -> Result:
    """Stays on the page, where the copy can be launched."""
    await copy_to_live(view, await _progress(view))
    return Redirected(view.url("first_steps"), flash="copied_to_live")


async def launch(view: PageRequest) -> Result:
    """Stays on the page, which has the lines for the site and waits for the first impression."""
    await launch_copy(view, await _progress(view))
    return Redirected(view.url("first_steps"), flash="launched")


async def show_test_page(view: PageRequest) -> Result:
    """A page with the account's own slot, for people without a site at hand. It shows TEST ads alone."""
    if view.environment is not Environment.TEST:
        return Redirected(view.url("first_steps"))
    progress = await _progress(view)
    slot = await _read(view, slots.GET, progress.slot_id)
    key = await _read(view, keys.GET_SDK, progress.key_id)
    edge_url = view.control.settings.edge_test_url
    values = {
        "progress": progress,
        "slot": slot,
        "key": key,
        "library": pin_element(),
        "edge_url": edge_url,
        "slot_requests": await read_slot_requests(view, slot["property_id"]) if slot else None,
    }
    edge = origin_of(edge_url)
    return Rendered("onboarding/test_page.html", values, connects_to=edge, frames=edge)


def _check_test(view: PageRequest) -> None:
    if view.environment is not Environment.TEST:
        raise not_found()


async def _steps(view: PageRequest, result: Mapping[str, Any] | None) -> Result:
    progress = await _progress(view)
    shown = await _read(view, properties.GET, progress.property_id)
    slot = await _read(view, slots.GET, progress.slot_id)
    key = await _read(view, keys.GET_SDK, progress.key_id)
    going_live = await going_live_of(view, progress)
    values = {
        "progress": progress,
        "going_live": going_live,
        "terms_of": complete_terms(going_live.copy) if going_live.copy else None,
        **words_for(view, {}),
        "steps": list(OnboardingStep),
        "property": shown,
        "slot": slot,
        "key": key,
        "snippets": snippets_of(view, slot, key["key"]) if slot and key else None,
        "published": verification.published_of(shown) if shown else None,
        "result": result,
        "slot_requests": await read_slot_requests(view, shown["id"]) if shown else None,
        "usual": USUAL_SIZES,
        "can_sample": sample.can_create(view),
    }
    return Rendered("onboarding/first_steps.html", values)


async def _progress(view: PageRequest) -> Progress:
    progress = await progress_of(view)
    if progress is None:
        raise Refused(
            ErrorCode.PERMISSION_DENIED,
            Message(
                "Your role can see neither properties nor campaigns. Ask an owner of the account to "
                "take these steps."
            ),
        )
    return progress


async def _read(view: PageRequest, operation: Any, object_id: str | None) -> dict[str, Any] | None:
    if object_id is None or not view.can(operation.id):
        return None
    found: dict[str, Any] = await view.call(operation, path={"id": object_id})
    return found


async def _property_id(view: PageRequest) -> str:
    """The id of the property that is being set up. Raises the 404 where there is none yet."""
    progress = await _progress(view)
    if progress.property_id is None:
        raise not_found()
    return progress.property_id


def _on(view: PageRequest) -> Redirected:
    """The next step is at the top of the page."""
    return Redirected(view.url("first_steps"))


SCREENS = (
    PageRoute(
        "first_steps",
        "/first-steps",
        show,
        {
            "property": add_property,
            "start": choose_proof,
            "verify": check_domain,
            "slot": add_slot,
            "key": add_key,
            "sample": create_sample,
            "discard": discard_sample,
            "go_live": go_live,
            "launch": launch,
        },
    ),
    PageRoute("test_page", "/first-steps/page", show_test_page),
)
