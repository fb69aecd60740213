"""The demo's data in the services of the compose file, made as `make run` makes its own."""

import os
import ssl
from dataclasses import asdict
from pathlib import Path
from typing import Any
from urllib.request import HTTPSHandler, build_opener, install_opener

from deploy.compose.project import Project
from deploy.compose.secrets import AUTHORITY, FOLDER
from deploy.debian import Say
from deploy.images.engine import FOLDER as STATE
from deploy.standalone.demo import make_demo
from deploy.standalone.settings import Settings

_PORTS = {"CONTROL": 8443, "EDGE_LIVE": 8444, "EDGE_TEST": 8445}


def addresses(environment: dict[str, str]) -> dict[str, str]:
    """The public URLs of the control plane and both edges, by ``CONTROL``, ``EDGE_LIVE`` and ``EDGE_TEST``."""
    return {
        name: environment.get(f"PLACARD_{name}_URL", f"https://localhost:{port}")
        for name, port in _PORTS.items()
    }


def demo_settings(state: Path, urls: tuple[str, str, str]) -> Settings:
    """For `make_demo` on processes that run already. *urls*: of the control plane, the live and the test edge."""
    return Settings(
        state=state,
        control_port=0,
        edge_live_port=0,
        edge_test_port=0,
        database_url="",
        redis_url="",
        kafka="",
        embedded_kafka=False,
        namespace="placard",
        edge_workers="",
        urls=urls,
    )


def make_demo_data(project: Project, report: Say) -> dict[str, Any]:
    """
    Returns what ``demo.json`` of a stack contains. Data that an earlier call made is found again.

    Trusts the authority that `make_secrets` made, for the rest of this process.
    """
    context = ssl.create_default_context(cafile=Path(FOLDER, AUTHORITY))
    install_opener(build_opener(HTTPSHandler(context=context)))
    urls = addresses(dict(os.environ))
    settings = demo_settings(STATE, (urls["CONTROL"], urls["EDGE_LIVE"], urls["EDGE_TEST"]))

    def operate(arguments: tuple[str, ...]) -> None:
        project.run_in("api", "python", "-m", "control", "admin", *arguments)

    return asdict(make_demo(settings, operate, report))
