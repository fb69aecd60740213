"""
The sample account: a small magazine with four weeks of simulated history, to look around in.

Its objects are created through the API, and its history by `control simulate --sample`, once, while the stack runs.
"""

from datetime import UTC, datetime
from typing import Any

from deploy.standalone import demo_ads, sample_ads
from deploy.standalone.sample_ads import SampleCampaign
from deploy.standalone.seed import RunControl, Say, Seed, operate_here
from deploy.standalone.settings import Settings
from deploy.standalone.state import write_json

_HISTORY_S = 300.0
"""Most that the history may take, on a machine that does much else."""
_LIVE = "live"


def make_sample(settings: Settings, run: RunControl, report: Say) -> dict[str, str]:
    """Returns e-mail and password, once the history is stored. Raises `StartError`."""
    path = settings.state / "sample-seed.json"
    seed = _SampleSeed(path, settings.control_url, operate_here(run), report)
    sample = seed.make(run)
    write_json(settings.sample_file, sample)
    return sample


class _SampleSeed(Seed):
    label = "sample"
    account_name = "The Harbour Post"
    email = "sample@placard.example"

    def make(self, run: RunControl) -> dict[str, str]:
        self.enter()
        now = self.step("end", lambda: {"at": datetime.now(UTC).isoformat()})["at"]
        end = datetime.fromisoformat(now)
        self.make_property(sample_ads.PROPERTY)
        for name in sample_ads.SLOTS:
            self._make_slot(name)
        for sample in sample_ads.CAMPAIGNS:
            self._make_campaign(sample, end)
        self.step("history", lambda: self._store_history(run))
        for sample in sample_ads.CAMPAIGNS:
            if sample.then == "pause":
                self._act("pause", "campaigns", sample)
        owner: dict[str, str] = self.made["owner"]
        return {"email": owner["email"], "password": owner["password"]}

    def _make_slot(self, name: str) -> None:
        body = {"property_id": self.made["property"]["id"], "key": name, **sample_ads.SLOTS[name]}
        self.step(f"slot {name}", lambda: self._create("slots", f"slot {name}", body))

    def _make_campaign(self, sample: SampleCampaign, end: datetime) -> None:
        body = sample_ads.campaign(sample, self.made["property"]["id"], end)
        step = f"campaigns {sample.name}"
        made = self.step(step, lambda: self._create("campaigns", step, body, environment=_LIVE))
        slot = sample_ads.SLOTS[sample.slot]
        ad_body = demo_ads.ad(
            slot["formats"][0], made["id"], self.made[f"slot {sample.slot}"]["id"], self.url, {}
        )
        ad_body["name"] = sample.name
        ad_step = f"ads {sample.name}"
        self.step(ad_step, lambda: self._create("ads", ad_step, ad_body, environment=_LIVE))
        if sample.then != "draft":
            self._act("activate", "ads", sample)
            self._act("activate", "campaigns", sample)

    def _store_history(self, run: RunControl) -> dict[str, Any]:
        account_id = self.made["account"]["id"]
        run(("simulate", "sample", "--sample", account_id), _HISTORY_S)
        return {"days": sample_ads.HISTORY_DAYS}

    def _act(self, verb: str, kind: str, sample: SampleCampaign) -> None:
        object_id = self.made[f"{kind} {sample.name}"]["id"]
        self.step(f"{verb} {kind} {sample.name}", lambda: self.act(verb, kind, object_id))

    def _create(self, kind: str, step: str, body: dict[str, Any], **query: str) -> dict[str, Any]:
        return {"id": self.create(kind, step, body, **query)["id"]}
