"""Reads the integration endpoints as one caller."""

from dataclasses import dataclass
from typing import Any

from tests.support.control_api import ControlApi, code_of

FEED = "/v1/integration/events"
STATUS = "/v1/integration/status"


@dataclass(frozen=True, slots=True)
class Reader:
    """A signed-in user, or a key, that reads the feed."""

    api: ControlApi
    headers: dict[str, str]

    async def get(self, path: str = FEED, **query: Any) -> dict[str, Any]:
        answer = await self.api.http.get(path, params=query, headers=self.headers)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    async def refused(self, path: str = FEED, **query: Any) -> str:
        answer = await self.api.http.get(path, params=query, headers=self.headers)
        assert answer.status_code >= 400, answer.text
        return f"{answer.status_code} {code_of(answer)}"

    async def drain(self, cursor: str = "earliest", **query: Any) -> tuple[list[str], str]:
        """Ids from *cursor* until a page says there is no more."""
        ids: list[str] = []
        while True:
            page = await self.get(cursor=cursor, **query)
            ids += [event["id"] for event in page["data"]]
            cursor = page["next_cursor"]
            if not page["has_more"]:
                return ids, cursor
