"""Demo data: an account with a property, slots, keys and ads, created as any customer would.

Only the public API is used, and the operator's command for an operator's tasks. Created objects are stored in
`demo-seed.json`, because secrets are shown only once and a second start must not create them again.
"""

import time
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from deploy.standalone import demo_ads
from deploy.standalone.child import ROOT
from deploy.standalone.demo_check import report_unfilled
from deploy.standalone.errors import StartError
from deploy.standalone.seed import Operate, Say, Seed
from deploy.standalone.settings import Settings

_ENVIRONMENTS = ("test", "live")
_DOMAIN = "demo.placard.example"
_SCOPES = [
    *("campaign:read", "campaign:write", "ad:read", "ad:write"),
    *("asset:read", "asset:write", "property:read", "reports:read"),
]
_SDK_KINDS = {"pk": "publishable", "sk": "secret"}
_INSPECTION_S = 600


@dataclass(frozen=True, kw_only=True)
class Demo:
    """The content of `demo.json`, with which any tool finds a running stack."""

    control_url: str
    edge_live_url: str
    edge_test_url: str
    assets_url: str
    dashboard_url: str
    demo_page_url: str
    account_id: str
    owner: dict[str, str] = field(repr=False)
    property: dict[str, str]
    slots: dict[str, dict[str, str]]
    keys: dict[str, dict[str, str]] = field(repr=False)
    sample: dict[str, str] | None = field(default=None, repr=False)
    """E-mail and password of the sample account; None until its history is stored, and where there is none."""


def make_demo(settings: Settings, operate: Operate, report: Say) -> Demo:
    """Create missing parts of the demo, and wait until its ads serve."""
    seed = _Seed(settings.state / "demo-seed.json", settings.control_url, operate, report)
    seed.make()
    demo = Demo(
        control_url=settings.control_url,
        edge_live_url=settings.edge_live_url,
        edge_test_url=settings.edge_test_url,
        assets_url=settings.assets_url,
        dashboard_url=f"{settings.control_url}/",
        demo_page_url=f"{settings.control_url}/demo",
        account_id=seed.made["account"]["id"],
        owner=seed.made["owner"],
        property=seed.made["property"],
        slots={name: seed.made[f"slot {name}"] for name in demo_ads.SLOTS},
        keys={name: seed.made[f"key {name}"] for name in _key_names()},
    )
    report_unfilled(
        {"test": (demo.edge_test_url, demo.keys["pk_test"]["key"])}
        | {"live": (demo.edge_live_url, demo.keys["pk_live"]["key"])},
        list(demo.slots),
        report,
    )
    return demo


class _Seed(Seed):
    label = "demo"
    account_name = "Placard Demo"
    email = "demo@placard.example"

    def make(self) -> None:
        self.enter()
        self.make_property(
            {
                "name": "Placard demo site",
                "kind": "web",
                "domain": _DOMAIN,
                "allowed_origins": ["http://127.0.0.1", "http://localhost"],
            }
        )
        for name in demo_ads.SLOTS:
            self.step(f"slot {name}", partial(self._make_slot, name))
        for name in _key_names():
            self.step(f"key {name}", partial(self._make_key, name))
        for environment in _ENVIRONMENTS:
            for name in demo_ads.SLOTS:
                self._make_ad(name, name, environment)
        for name in demo_ads.MORE_SLOTS:
            self.step(f"slot {name}", partial(self._make_slot, name))
        for environment in _ENVIRONMENTS:
            for name, slot in demo_ads.MORE_CAMPAIGNS.items():
                self._make_ad(name, slot, environment)

    def _make_slot(self, name: str) -> dict[str, Any]:
        own = {
            "property_id": self.made["property"]["id"],
            "key": name,
            "name": demo_ads.SLOT_NAMES[name],
        }
        shape = (demo_ads.SLOTS | demo_ads.MORE_SLOTS)[name]
        made = self.create("slots", f"slot {name}", {**own, **shape})
        return {"id": made["id"], "key": made["key"]}

    def _make_key(self, name: str) -> dict[str, Any]:
        kind, environment = name.split("_")
        body: dict[str, Any] = {
            "property_id": self.made["property"]["id"],
            "environment": environment,
            "name": f"Demo {name}",
        }
        if kind in _SDK_KINDS:
            made = self.create("sdk-keys", name, {**body, "kind": _SDK_KINDS[kind]})
        else:
            made = self.create("integration-keys", name, {**body, "scopes": _SCOPES})
        return {"id": made["id"], "key": made["key"]}

    def _make_ad(self, name: str, slot: str, environment: str) -> None:
        body = demo_ads.campaign(name, self.made["property"]["id"])
        mark = f"{name} {environment}"
        campaign = self.step(f"campaign {mark}", lambda: self._post("campaigns", body, environment))
        slot_id = self.made[f"slot {slot}"]["id"]
        assets = self._upload(name, environment)
        ad_body = demo_ads.ad(
            name, campaign["id"], slot_id, self.url, assets, environment=environment
        )
        ad = self.step(f"ad {mark}", lambda: self._post("ads", ad_body, environment))
        self.step(f"active ad {mark}", lambda: self.act("activate", "ads", ad["id"]))
        self.step(
            f"active campaign {mark}", lambda: self.act("activate", "campaigns", campaign["id"])
        )

    def _upload(self, name: str, environment: str) -> dict[str, str]:
        """Uploads the file of the slot's ad, if it has one; returns its id by its role, once it may be used."""
        if name not in demo_ads.UPLOADS:
            return {}
        role, path = demo_ads.UPLOADS[name]
        asset = self.step(
            f"asset {name} {environment}",
            lambda: {
                "id": self.api.post_file("/v1/assets", ROOT / path, environment=environment)["id"]
            },
        )
        for _ in range(_INSPECTION_S):
            if self.api.get(f"/v1/assets/{asset['id']}")["status"] == "ready":
                return {role: asset["id"]}
            time.sleep(1)
        raise StartError(f"the demo's {path.name} was not inspected within {_INSPECTION_S} s")

    def _post(self, kind: str, body: dict[str, Any], environment: str) -> dict[str, Any]:
        step = f"{body['name']} {environment}"
        return {"id": self.create(kind, step, body, environment=environment)["id"]}


def _key_names() -> list[str]:
    kinds = (*_SDK_KINDS, "ak")
    return [f"{kind}_{environment}" for kind in kinds for environment in _ENVIRONMENTS]
