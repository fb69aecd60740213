"""Assets: the files of ads, with upload and status."""

from babel import Locale, numbers

from common.values.environment import Environment
from control.dashboard.ads.messages import ASSET_KINDS, ASSET_STATUSES
from control.dashboard.ads.pictures import poster_of_file, thumbnails_of_files
from control.dashboard.embed_sessions.components import Component
from control.dashboard.page import PageRoute, Redirected, Rendered, Result
from control.dashboard.page_request import PageRequest, environment_shown, is_filtered
from control.dashboard.pager import pager_of
from control.demand.assets import operations as assets
from control.demand.assets.queries import wanted_assets

_UNSETTLED = ("uploading", "processing")
_KIB = 1024
_UNITS = ("B", "KiB", "MiB", "GiB")


async def show_list(view: PageRequest) -> Result:
    query = view.list_params(assets.LIST)
    page = await view.call(assets.LIST, query={**query, "limit": 48})
    values = {
        "page": page,
        "params": query,
        "pager": await pager_of(
            view,
            assets.LIST,
            query,
            page,
            wanted_assets(
                view.caller, environment_shown(view), view.list_query(assets.LIST, query)
            ),
        ),
        "is_filtered": is_filtered(query),
        "is_waiting": any(one["status"] == _UNSETTLED[1] for one in page["data"]),
        "thumbnails": await thumbnails_of_files(view, page["data"]),
        "kinds": ASSET_KINDS,
        "statuses": ASSET_STATUSES,
        "bytes": lambda count: bytes_in_words(count, view.user_locale.locale),
    }
    return Rendered("assets/list.html", values)


async def show(view: PageRequest) -> Result:
    asset = await view.call(assets.GET, path={"id": view.path["id"]})
    own = Environment.TEST if asset["is_test"] else Environment.LIVE
    if own is not view.environment:
        return Redirected(view.url("asset", id=asset["id"], environment=own))
    values = {
        "asset": asset,
        "poster": await poster_of_file(view, asset["id"]),
        "kinds": ASSET_KINDS,
        "statuses": ASSET_STATUSES,
    }
    return Rendered("assets/asset.html", values)


async def archive(view: PageRequest) -> Result:
    await view.call(assets.ARCHIVE, path={"id": view.path["id"]})
    return Redirected(view.url("asset_list"), flash="asset_archived")


async def show_upload(_: PageRequest) -> Result:
    return Rendered("assets/upload.html")


async def upload(view: PageRequest) -> Result:
    made = await view.call(assets.CREATE)
    return Redirected(view.url("asset", id=made["id"]), flash="asset_uploaded")


def bytes_in_words(count: int, locale: Locale) -> str:
    """``1.4 MiB``, with the number format of the user's locale."""
    size, unit = float(count), 0
    while size >= _KIB and unit < len(_UNITS) - 1:
        size, unit = size / _KIB, unit + 1
    return f"{numbers.format_decimal(round(size, 1), locale=locale)} {_UNITS[unit]}"


_MAKING = frozenset({Component.AD_CREATE})

SCREENS = (
    PageRoute("asset_list", "/assets", show_list, needs=assets.LIST),
    PageRoute(
        "asset_upload",
        "/assets/upload",
        show_upload,
        {"": upload},
        components=_MAKING,
        streams=True,
        needs=assets.CREATE,
    ),
    PageRoute(
        "asset", "/assets/<id:str>", show, {"": archive}, components=_MAKING, needs=assets.GET
    ),
)
