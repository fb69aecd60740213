"""
Brings the compose file's services up with Podman, each after those that it depends on are healthy.

Podman's health checks need systemd to run by themselves, so they are run here: the order is the same with and without.
"""

import hashlib
import json
import re
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from deploy.debian import Say
from deploy.images.bases import make_available
from deploy.images.engine import FOLDER, Engine, ImageError
from deploy.images.names import COMPOSE, list_names

_HEALTHY_S = 300.0
_EVERY_S = 1.0
_LINES = "100"
_GRACE_S = "20"
_MADE_FROM = "placard.made-from"
_UPGRADED = ("ingest", "edge-live", "edge-test", "publish", "pace", "api", "work")
"""The order in which docs/operations.md replaces processes that run."""


@dataclass(frozen=True)
class Service:
    """
    *waits_for*: by service, the condition of the compose file. *profiles*: empty if it always runs. *declared*: its
    part of the file.
    """

    name: str
    image: str
    waits_for: dict[str, str]
    profiles: tuple[str, ...]
    has_check: bool
    declared: dict[str, Any]

    @property
    def grace_s(self) -> str:
        """Seconds after which it is killed when it is stopped."""
        return str(self.declared.get("stop_grace_period", "10s")).removesuffix("s")


def read_services(path: Path = COMPOSE) -> list[Service]:
    """The services of the file, each after those that it waits for."""
    declared = yaml.safe_load(path.read_text())["services"]
    ordered: dict[str, Service] = {}

    def add(name: str) -> None:
        if name in ordered:
            return
        one = declared[name]
        waits_for = {other: how["condition"] for other, how in one.get("depends_on", {}).items()}
        for other in waits_for:
            add(other)
        has_check = not one.get("healthcheck", {"disable": True}).get("disable", False)
        profiles = tuple(one.get("profiles", ()))
        ordered[name] = Service(name, one["image"], waits_for, profiles, has_check, one)

    for name in declared:
        add(name)
    return list(ordered.values())


def order_for_upgrade(services: list[Service]) -> list[Service]:
    """*services* with the processes of Placard in the order in which they are replaced while all of them run."""
    ours = (one for one in services if one.name in _UPGRADED)
    ordered = iter(sorted(ours, key=lambda one: _UPGRADED.index(one.name)))
    return [next(ordered) if one.name in _UPGRADED else one for one in services]


def digest_configuration(
    declared: dict[str, Any], settings: Mapping[str, str], folder: Path = COMPOSE.parent
) -> str:
    """
    Of what a container has besides its image: its part of the compose file, the variables in it, and the files that
    are mounted by relative paths. *folder*: of the compose file.
    """
    text = json.dumps(declared, sort_keys=True)
    variables = {name: settings.get(name) for name in re.findall(r"\$\{(\w+)", text)}
    found = hashlib.sha256(f"{folder} {text} {json.dumps(variables, sort_keys=True)}".encode())
    for volume in declared.get("volumes", ()):
        source = volume.partition(":")[0]
        for path in _list_files(folder / source) if source.startswith(".") else ():
            found.update(f"{path} ".encode() + path.read_bytes())
    return found.hexdigest()


def _list_files(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield path
    else:
        yield from sorted(one for one in path.rglob("*") if one.is_file())


class Project:
    """One run of the compose file. *settings*: variables that it reads, such as ``PLACARD_CONTROL_PORT``."""

    def __init__(self, engine: Engine, settings: dict[str, str], report: Say) -> None:
        self._engine = Engine(engine.environment | settings)
        self._report = report
        self._override = FOLDER / "compose.images.yaml"

    def up(self, profiles: set[str]) -> list[str]:
        """
        Returns the names of the services that run: all without a profile, and those of *profiles*. A container whose
        image or configuration has changed is replaced; the processes of Placard in the order of an upgrade, if all run.

        Raises `ImageError` if an image is missing, or a service does not become healthy.
        """
        images = self._get_images(profiles)
        services = [
            one for one in read_services() if not one.profiles or profiles & {*one.profiles}
        ]
        if all(self._list_containers(name, "--filter=status=running") for name in _UPGRADED):
            services = order_for_upgrade(services)
        for service in services:
            self._report(f"starting {service.name}")
            self._remove_older(service, images[service.name])
            # Without the option, it would replace at once all that depend on the service, before the schema is new.
            only = ("--no-deps", "--no-recreate", service.name)
            self.compose("up", "--detach", *only, profiles=profiles)
            done = [one.waits_for.get(service.name) for one in services]
            if "service_completed_successfully" in done:
                self._await_end(service.name)
            elif service.has_check:
                self._await_health(service.name)
        return [one.name for one in services]

    def down(self, *, with_data: bool) -> None:
        """Stops and removes the containers; the volumes too, if *with_data*."""
        profiles = {profile for one in read_services() for profile in one.profiles}
        self.compose("down", *(["--volumes"] if with_data else []), profiles=profiles)

    def compose(self, *arguments: str, profiles: set[str] | None = None) -> str:
        """Runs ``podman-compose`` on the project; returns its output."""
        files = ["--file", str(COMPOSE)]
        if self._override.exists():
            files += ["--file", str(self._override)]
        options = [part for one in sorted(profiles or ()) for part in ("--profile", one)]
        return self._engine.run(
            sys.executable, "-m", "podman_compose", *files, *options, *arguments
        )

    def run_in(self, service: str, *command: str) -> str:
        """The output of *command* in the container of *service*. Raises `ImageError` if it fails."""
        return self._engine.run("podman", "exec", self.container(service), *command)

    def stop(self, service: str) -> int:
        """Ends it by SIGTERM, within the grace period of Placard's processes; returns its exit code."""
        container = self.container(service)
        self._engine.run("podman", "stop", "--time", _GRACE_S, container)
        return int(self._engine.run("podman", "inspect", "--format={{.State.ExitCode}}", container))

    def container(self, service: str) -> str:
        found = self._list_containers(service)
        if not found:
            raise ImageError(
                f"There is no container of {service}. Start it with `make compose-up`."
            )
        return found[0]

    def _list_containers(self, service: str, *more: str) -> list[str]:
        labels = {"io.podman.compose.project": "placard", "com.docker.compose.service": service}
        filters = [f"--filter=label={name}={value}" for name, value in labels.items()]
        return self._engine.run("podman", "ps", "--all", "--quiet", *filters, *more).split()

    def _remove_older(self, service: Service, image: str) -> None:
        """
        Removes a container that runs another image than *image* is now, or has another configuration; volumes with a
        name stay. `podman-compose` compares neither images, which have the same name when they were built anew, nor
        the content of files.
        """
        id_ = self._engine.run("podman", "image", "inspect", "--format={{.Id}}", image).strip()
        newest = f"{id_} {self._digest(service)}"
        made_from = f'--format={{{{.Image}}}} {{{{index .Config.Labels "{_MADE_FROM}"}}}}'
        for container in self._list_containers(service.name):
            if self._engine.run("podman", "inspect", made_from, container).strip() != newest:
                self._engine.run("podman", "stop", "--time", service.grace_s, container)
                self._engine.run("podman", "rm", "--volumes", container)

    def _digest(self, service: Service) -> str:
        return digest_configuration(service.declared, self._engine.environment)

    def _get_images(self, profiles: set[str]) -> dict[str, str]:
        """
        Returns the image of each service. Also writes them without digests, which images made here do not have, and
        labels the containers with their configuration.
        """
        missing = {
            one.name for one in make_available(self._engine, list_names(COMPOSE), self._report)
        }
        names: dict[str, str] = {}
        for service in read_services():
            image = service.image.partition("@")[0]
            if image in missing and (not service.profiles or profiles & {*service.profiles}):
                raise ImageError(f"{image} of {service.name} cannot be had: no registry answers.")
            if image.startswith("placard-"):
                image = f"localhost/{image.partition(':')[0]}:dev"
                if not self._engine.has(image):
                    raise ImageError(f"{image} is not built. Build it with `make images`.")
            names[service.name] = image
        services = {
            one.name: {"image": names[one.name], "labels": {_MADE_FROM: self._digest(one)}}
            for one in read_services()
        }
        self._override.write_text(yaml.safe_dump({"services": services}))
        return names

    def _await_end(self, service: str) -> None:
        code = self._engine.run("podman", "wait", self.container(service), timeout_s=_HEALTHY_S)
        if code.strip() != "0":
            raise ImageError(f"{service} ended with {code.strip()}:\n{self.logs(service)}")

    def _await_health(self, service: str) -> None:
        container = self.container(service)
        deadline = time.monotonic() + _HEALTHY_S
        while time.monotonic() < deadline:
            if self._engine.ask("podman", "healthcheck", "run", container) is not None:
                return
            time.sleep(_EVERY_S)
        raise ImageError(f"{service} is not healthy:\n{self.logs(service)}")

    def logs(self, service: str) -> str:
        """The last lines of its output."""
        done = self._engine.try_to("podman", "logs", "--tail", _LINES, self.container(service))
        return done.stdout + done.stderr
