"""``/``: the overview for users who are signed in, and for all others the page that describes Placard."""

from urllib.parse import urlencode

from control.dashboard.demo import find_demo
from control.dashboard.page import PageRoute, Redirected, Rendered, Result
from control.dashboard.page_request import PageRequest
from control.dashboard.policy import origin_of
from control.dashboard.sign_in.screens import start_of


async def show(view: PageRequest) -> Result:
    """With a running demo, its edge can be measured: the browser requests ads of the demo's first slot."""
    if view.is_signed_in:
        return Redirected(start_of(view))
    demo = find_demo(view.control.settings.state)
    if demo is None or not demo.slot_keys:
        return Rendered("front/front.html", {"has_demo": demo is not None, "serve_url": None})
    query = urlencode({"slot": demo.slot_keys[0], "key": demo.publishable_key})
    return Rendered(
        "front/front.html",
        {"has_demo": True, "serve_url": f"{demo.edge_live_url}/v1/serve?{query}"},
        connects_to=origin_of(demo.edge_live_url),
    )


SCREENS = (PageRoute("start", "", show, of_environment=False, is_public=True),)
