"""Demo data: an account with a property, slots, keys and ads, created as any customer would.

Only the public API is used, and the operator's command for an operator's tasks. Created objects are stored in
`demo-seed.json`, because secrets are shown only once and a second start must not create them again.
"""

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from deploy.standalone import demo_ads
from deploy.standalone.child import ROOT, run_module
from deploy.standalone.demo_api import DemoApi, RefusedError
from deploy.standalone.demo_check import report_unfilled
from deploy.standalone.settings import Settings
from deploy.standalone.state import read_json, write_json
from deploy.standalone.trouble import StartError

_ENVIRONMENTS = ("test", "live")
_DOMAIN = "demo.placard.example"
_EMAIL = "demo@placard.example"
_SCOPES = [
    *("campaign:read", "campaign:write", "ad:read", "ad:write"),
    *("asset:read", "asset:write", "property:read", "reports:read"),
]
_SDK_KINDS = {"pk": "publishable", "sk": "secret"}
_OPERATOR_S = 60.0
_INSPECTION_S = 120

Say = Callable[[str], None]
Operate = Callable[[tuple[str, ...]], None]
"""Runs an operator's command, given the arguments of ``control admin``. Raises an error with its output if it fails."""


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


def operate_here(environment: dict[str, str]) -> Operate:
    """Runs operators' commands on this machine, with the settings of the stack."""

    def operate(arguments: tuple[str, ...]) -> None:
        process = run_module(["control", "admin", *arguments], environment)
        try:
            lines = list(process.lines())
            process.wait(_OPERATOR_S)
        finally:
            process.kill()
        if process.exit_code != 0:
            command = " ".join(arguments)
            raise StartError("\n".join([f"`python -m control admin {command}` failed:", *lines]))

    return operate


class _Seed:
    """The objects created so far, stored after every step."""

    def __init__(self, path: Path, url: str, operate: Operate, report: Say) -> None:
        self.made: dict[str, Any] = read_json(path) or {}
        self._path = path
        self._url = url
        self._api = DemoApi(url)
        self._run_operator = operate
        self._report = report

    def make(self) -> None:
        self._step("run", lambda: {"id": secrets.token_hex(8)})
        if not self._sign_in():
            self._sign_up()
        self._make_property()
        for name in demo_ads.SLOTS:
            self._step(f"slot {name}", partial(self._make_slot, name))
        for name in _key_names():
            self._step(f"key {name}", partial(self._make_key, name))
        for environment in _ENVIRONMENTS:
            for name in demo_ads.SLOTS:
                self._make_ad(name, environment)

    def _step(self, name: str, make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        if name not in self.made:
            self.made[name] = make()
            write_json(self._path, self.made)
        made: dict[str, Any] = self.made[name]
        return made

    def _sign_in(self) -> bool:
        """False if there is no account yet, or if the stored account is of another database."""
        if "account" not in self.made:
            return False
        try:
            self._api.token = self._get_token(self.made["owner"])
        except RefusedError as refusal:
            if refusal.code != "invalid_grant":
                raise
            old = self._path.with_suffix(".old.json")
            self._report(f"the demo account is not in this database; its notes are kept in {old}")
            self._path.replace(old)
            self.made = {}
            self._step("run", lambda: {"id": secrets.token_hex(8)})
            return False
        return True

    def _sign_up(self) -> None:
        self._report("making the demo account, its property, keys and ads")
        owner = self._step("owner", lambda: _new_owner(_EMAIL))
        try:
            self._step("account", lambda: self._make_account(owner))
        except RefusedError as refusal:
            if refusal.code != "already_exists":
                raise
            # Another stack's demo is in the same database; its password is unknown here.
            del self.made["owner"]
            address = _EMAIL.replace("@", f"+{secrets.token_hex(3)}@")
            owner = self._step("owner", lambda: _new_owner(address))
            self._step("account", lambda: self._make_account(owner))
        self._api.token = self._get_token(owner)
        self._step(
            "address verified", lambda: self._operate("verify-address", "--email", owner["email"])
        )

    def _make_account(self, owner: dict[str, str]) -> dict[str, Any]:
        made = self._api.post("/v1/accounts", {"name": "Placard Demo", **owner})
        return {"id": made["account"]["id"]}

    def _get_token(self, owner: dict[str, str]) -> str:
        grant = {"grant_type": "password", "username": owner["email"]}
        answer = self._api.post("/v1/auth/token", {**grant, "password": owner["password"]})
        return str(answer["access_token"])

    def _make_property(self) -> None:
        made = self._step("property", self._post_property)
        self._step("verified", lambda: self._operate("verify-property", "--property", made["id"]))

    def _post_property(self) -> dict[str, Any]:
        body = {
            "name": "Placard demo site",
            "kind": "web",
            "domain": _DOMAIN,
            "allowed_origins": ["http://127.0.0.1", "http://localhost"],
        }
        made = self._create("properties", "property", body)
        return {"id": made["id"], "domain": made["domain"]}

    def _operate(self, *arguments: str) -> dict[str, Any]:
        self._run_operator(arguments)
        return {}

    def _make_slot(self, name: str) -> dict[str, Any]:
        own = {"property_id": self.made["property"]["id"], "key": name, "name": f"Demo {name}"}
        made = self._create("slots", f"slot {name}", {**own, **demo_ads.SLOTS[name]})
        return {"id": made["id"], "key": made["key"]}

    def _make_key(self, name: str) -> dict[str, Any]:
        kind, environment = name.split("_")
        body: dict[str, Any] = {
            "property_id": self.made["property"]["id"],
            "environment": environment,
            "name": f"Demo {name}",
        }
        if kind in _SDK_KINDS:
            made = self._create("sdk-keys", name, {**body, "kind": _SDK_KINDS[kind]})
        else:
            made = self._create("integration-keys", name, {**body, "scopes": _SCOPES})
        return {"id": made["id"], "key": made["key"]}

    def _make_ad(self, name: str, environment: str) -> None:
        body = demo_ads.campaign(name, self.made["property"]["id"])
        mark = f"{name} {environment}"
        campaign = self._step(
            f"campaign {mark}", lambda: self._post("campaigns", body, environment)
        )
        slot_id = self.made[f"slot {name}"]["id"]
        assets = self._upload(name, environment)
        ad_body = demo_ads.ad(name, campaign["id"], slot_id, self._url, assets)
        ad = self._step(f"ad {mark}", lambda: self._post("ads", ad_body, environment))
        self._step(f"active ad {mark}", lambda: self._activate("ads", ad["id"]))
        self._step(f"active campaign {mark}", lambda: self._activate("campaigns", campaign["id"]))

    def _upload(self, name: str, environment: str) -> dict[str, str]:
        """Uploads the file of the slot's ad, if it has one; returns its id by its role, once it may be used."""
        if name not in demo_ads.UPLOADS:
            return {}
        role, path = demo_ads.UPLOADS[name]
        asset = self._step(
            f"asset {name} {environment}",
            lambda: {
                "id": self._api.post_file("/v1/assets", ROOT / path, environment=environment)["id"]
            },
        )
        for _ in range(_INSPECTION_S):
            if self._api.get(f"/v1/assets/{asset['id']}")["status"] == "ready":
                return {role: asset["id"]}
            time.sleep(1)
        raise StartError(f"the demo's {path.name} was not inspected within {_INSPECTION_S} s")

    def _post(self, kind: str, body: dict[str, Any], environment: str) -> dict[str, Any]:
        step = f"{body['name']} {environment}"
        return {"id": self._create(kind, step, body, environment=environment)["id"]}

    def _create(self, kind: str, step: str, body: dict[str, Any], **query: str) -> dict[str, Any]:
        """Creates the object once, even if this process is killed between the response and storing it."""
        key = f"demo-{self.made['run']['id']}-{kind}-{step}".replace(" ", "-")
        return self._api.post(f"/v1/{kind}", body, idempotency_key=key, **query)

    def _activate(self, kind: str, object_id: str) -> dict[str, Any]:
        self._api.post(f"/v1/{kind}/{object_id}/activate")
        return {"at": int(time.time())}


def _key_names() -> list[str]:
    kinds = (*_SDK_KINDS, "ak")
    return [f"{kind}_{environment}" for kind in kinds for environment in _ENVIRONMENTS]


def _new_owner(email: str) -> dict[str, str]:
    return {"email": email, "password": secrets.token_urlsafe(15)}
