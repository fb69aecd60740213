"""
Brings the compose file's services up with Podman, each after those that it depends on are healthy.

Podman's health checks need systemd to run by themselves, so they are run here: the order is the same with and without.
"""

import sys
import time
from dataclasses import dataclass
from pathlib import Path

import yaml

from deploy.debian import Say
from deploy.images.bases import make_available
from deploy.images.engine import FOLDER, Engine, ImageError
from deploy.images.names import COMPOSE, list_names

_HEALTHY_S = 300.0
_EVERY_S = 1.0
_LINES = "100"
_GRACE_S = "20"


@dataclass(frozen=True)
class Service:
    """*waits_for*: by service, the condition of the compose file. *profiles*: empty if it always runs."""

    name: str
    image: str
    waits_for: dict[str, str]
    profiles: tuple[str, ...]
    has_check: bool


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
        ordered[name] = Service(name, one["image"], waits_for, profiles, has_check)

    for name in declared:
        add(name)
    return list(ordered.values())


class Project:
    """One run of the compose file. *settings*: variables that it reads, such as ``PLACARD_CONTROL_PORT``."""

    def __init__(self, engine: Engine, settings: dict[str, str], report: Say) -> None:
        self._engine = Engine(engine.environment | settings)
        self._report = report
        self._override = FOLDER / "compose.images.yaml"

    def up(self, profiles: set[str]) -> list[str]:
        """
        Returns the names of the services that run: all without a profile, and those of *profiles*.

        Raises `ImageError` if an image is missing, or a service does not become healthy.
        """
        images = self._get_images(profiles)
        services = [
            one for one in read_services() if not one.profiles or profiles & {*one.profiles}
        ]
        for service in services:
            self._report(f"starting {service.name}")
            self._remove_older(service.name, images[service.name])
            self.compose("up", "--detach", "--no-deps", service.name, profiles=profiles)
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

    def _list_containers(self, service: str) -> list[str]:
        labels = {"io.podman.compose.project": "placard", "com.docker.compose.service": service}
        filters = [f"--filter=label={name}={value}" for name, value in labels.items()]
        return self._engine.run("podman", "ps", "--all", "--quiet", *filters).split()

    def _remove_older(self, service: str, image: str) -> None:
        """
        Removes a container that runs another image than *image* is now; volumes with a name stay. An image that was
        built anew has the same name, and `podman-compose` replaces a container only if the file's text for it has
        changed.
        """
        newest = self._engine.run("podman", "image", "inspect", "--format={{.Id}}", image)
        for container in self._list_containers(service):
            if self._engine.run("podman", "inspect", "--format={{.Image}}", container) != newest:
                self._engine.run("podman", "stop", "--time", _GRACE_S, container)
                self._engine.run("podman", "rm", "--volumes", container)

    def _get_images(self, profiles: set[str]) -> dict[str, str]:
        """Returns the image of each service. Also writes them without digests, which images made here do not have."""
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
        services = {name: {"image": image} for name, image in names.items()}
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
