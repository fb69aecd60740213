"""Commits that workers reported, by the minute of their report, without those of `common.pacing.holds`. Pure."""

from collections.abc import Generator, KeysView, Mapping

from common.service.cooperative import batches

STEP_MS = 60_000
"""Commits of one minute are summed, as charges are by the minute of their serve."""


class InFlightCommits:
    """Micros by minute and campaign, with totals of all kept minutes."""

    def __init__(self) -> None:
        self._minutes: dict[int, dict[str, int]] = {}
        self._all: dict[str, int] = {}
        self._new: dict[str, int] = {}

    def restore_steps(
        self, minute: int, campaigns: Mapping[str, int]
    ) -> Generator[None, None, None]:
        for batch in batches(campaigns.items()):
            for campaign_id, micros in batch:
                self._add(minute, campaign_id, micros)
            yield

    def record(self, campaign_id: str, micros: int, now_ms: int) -> None:
        self._add(now_ms // STEP_MS, campaign_id, micros)
        self._new[campaign_id] = self._new.get(campaign_id, 0) + micros

    def take_new(self) -> dict[str, int]:
        """Returns what was recorded since the last call, by campaign."""
        new, self._new = self._new, {}
        return new

    def minutes_from(self, minute: int) -> dict[int, Mapping[str, int]]:
        return {each: campaigns for each, campaigns in self._minutes.items() if each >= minute}

    @property
    def campaigns(self) -> KeysView[str]:
        return self._all.keys()

    def since(self, campaign_id: str, since_ms: int) -> int:
        """Returns the commits of minutes that ended after *since_ms*."""
        found = self._all.get(campaign_id, 0)
        if not found:
            return 0
        first = since_ms // STEP_MS
        for minute, campaigns in self._minutes.items():
            if minute < first:
                found -= campaigns.get(campaign_id, 0)
        return found

    def drop_before_steps(self, before_ms: int) -> Generator[None, None, None]:
        """Removes minutes that ended before *before_ms*."""
        first = before_ms // STEP_MS
        for minute in [minute for minute in self._minutes if minute < first]:
            for batch in batches(self._minutes.pop(minute).items()):
                for campaign_id, micros in batch:
                    left = self._all[campaign_id] - micros
                    if left:
                        self._all[campaign_id] = left
                    else:
                        del self._all[campaign_id]
                yield

    def _add(self, minute: int, campaign_id: str, micros: int) -> None:
        campaigns = self._minutes.setdefault(minute, {})
        campaigns[campaign_id] = campaigns.get(campaign_id, 0) + micros
        self._all[campaign_id] = self._all.get(campaign_id, 0) + micros
