"""
Objects that a start creates through the public API, as any customer would, and that later starts find again.

They are stored in a file after every step, because secrets are shown only once.
"""

import secrets
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from deploy.standalone.child import run_module
from deploy.standalone.demo_api import DemoApi, RefusedError
from deploy.standalone.errors import StartError
from deploy.standalone.prefork import Prefork
from deploy.standalone.state import read_json, write_json

_OPERATOR_S = 180.0

Say = Callable[[str], None]
Operate = Callable[[tuple[str, ...]], None]
"""Runs an operator's command, given the arguments of ``control admin``. Raises an error with its output if it fails."""
RunControl = Callable[[tuple[str, ...], float], None]
"""As `run_control`, in the environment of the stack."""


def operate_here(run: RunControl) -> Operate:
    """Runs operators' commands on this machine."""
    return lambda arguments: run(("admin", *arguments), _OPERATOR_S)


def run_control(
    environment: dict[str, str], prefork: Prefork, arguments: tuple[str, ...], timeout_s: float
) -> None:
    """Runs one command of the control plane to its end. Raises `StartError` with its output if it fails."""
    process = run_module(["control", *arguments], environment, prefork)
    try:
        lines = list(process.lines())
        process.wait(timeout_s)
    finally:
        process.kill()
    if process.exit_code != 0:
        command = " ".join(arguments)
        raise StartError("\n".join([f"`python -m control {command}` failed:", *lines]))


class Seed:
    """One account and what it owns. *label*: the account in messages, and in the keys of its requests."""

    label: str
    account_name: str
    email: str

    def __init__(self, path: Path, url: str, operate: Operate, report: Say) -> None:
        self.made: dict[str, Any] = read_json(path) or {}
        self.url = url
        self.api = DemoApi(url)
        self._path = path
        self._run_operator = operate
        self._report = report

    def enter(self) -> None:
        """Signs in, after a sign-up where there is no account yet."""
        self.step("run", lambda: {"id": secrets.token_hex(8)})
        if not self._sign_in():
            self._sign_up()

    def step(self, name: str, make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """Returns what the step made, now or in an earlier start."""
        if name not in self.made:
            self.made[name] = make()
            write_json(self._path, self.made)
        made: dict[str, Any] = self.made[name]
        return made

    def operate(self, *arguments: str) -> dict[str, Any]:
        self._run_operator(arguments)
        return {}

    def create(self, kind: str, step: str, body: dict[str, Any], **query: str) -> dict[str, Any]:
        """Creates the object once, even if this process is killed between the response and storing it."""
        key = f"{self.label}-{self.made['run']['id']}-{kind}-{step}".replace(" ", "-")
        return self.api.post(f"/v1/{kind}", body, idempotency_key=key, **query)

    def make_property(self, body: dict[str, Any]) -> dict[str, Any]:
        """A verified property, as the step ``property``."""

        def post() -> dict[str, Any]:
            made = self.create("properties", "property", body)
            return {"id": made["id"], "domain": made["domain"]}

        made = self.step("property", post)
        self.step("verified", lambda: self.operate("verify-property", "--property", made["id"]))
        return made

    def act(self, verb: str, kind: str, object_id: str) -> dict[str, Any]:
        self.api.post(f"/v1/{kind}/{object_id}/{verb}")
        return {"at": int(time.time())}

    def _sign_in(self) -> bool:
        """False if there is no account yet, or if the stored account is of another database."""
        if "account" not in self.made:
            return False
        try:
            self.api.token = self._get_token(self.made["owner"])
        except RefusedError as refusal:
            if refusal.code != "invalid_grant":
                raise
            old = self._path.with_suffix(".old.json")
            self._report(
                f"the {self.label} account is not in this database; its notes are kept in {old}"
            )
            self._path.replace(old)
            self.made = {}
            self.step("run", lambda: {"id": secrets.token_hex(8)})
            return False
        return True

    def _sign_up(self) -> None:
        self._report(f"making the {self.label} account")
        owner = self.step("owner", lambda: _new_owner(self.email))
        try:
            self.step("account", lambda: self._make_account(owner))
        except RefusedError as refusal:
            if refusal.code != "already_exists":
                raise
            # Another stack's account is in the same database; its password is unknown here.
            del self.made["owner"]
            address = self.email.replace("@", f"+{secrets.token_hex(3)}@")
            owner = self.step("owner", lambda: _new_owner(address))
            self.step("account", lambda: self._make_account(owner))
        self.api.token = self._get_token(owner)
        self.step(
            "address verified", lambda: self.operate("verify-address", "--email", owner["email"])
        )

    def _make_account(self, owner: dict[str, str]) -> dict[str, Any]:
        made = self.api.post("/v1/accounts", {"name": self.account_name, **owner})
        return {"id": made["account"]["id"]}

    def _get_token(self, owner: dict[str, str]) -> str:
        grant = {"grant_type": "password", "username": owner["email"]}
        answer = self.api.post("/v1/auth/token", {**grant, "password": owner["password"]})
        return str(answer["access_token"])


def _new_owner(email: str) -> dict[str, str]:
    return {"email": email, "password": secrets.token_urlsafe(15)}
