"""An asset on the whole stack: sent to the control plane, looked into by the scheduler, served by the live edge."""

from deploy.standalone.background import Background
from tests.control.demand.assets.files import a_sound, an_image
from tests.support.control_api import bearer
from tests.support.http_client import http_client
from tests.support.waiting import until


async def test_assets_are_served_where_their_url_says(stack: Background) -> None:
    demo = stack.demo
    headers = bearer(demo["keys"]["ak_live"]["key"])
    async with (
        http_client(base_url=demo["control_url"], headers=headers) as http,
        http_client() as reader,
    ):
        image, sound = [
            (await http.post("/v1/assets", files={"file": ("a", content)})).json()
            for content in (an_image(), a_sound())
        ]

        async def is_inspected() -> bool:
            sound.update((await http.get(f"/v1/assets/{sound['id']}")).json())
            return bool(sound["status"] != "processing")

        await until(is_inspected)
        assert sound["status"] == "ready", sound["rejection_reason"]
        for asset, media_type in ((image, "image/png"), (sound, "audio/mpeg")):
            assert asset["url"].startswith(demo["assets_url"])
            answer = await reader.get(asset["url"])
            assert answer.status_code == 200
            assert answer.headers["content-type"] == media_type
            assert len(answer.content) == asset["bytes"]
