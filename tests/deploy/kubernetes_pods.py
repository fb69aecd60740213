"""
Pods of the overlay `dev`, run by ``podman kube play`` beside PostgreSQL and Redis in containers of their own.

Podman reads the rendered pods themselves: their commands, users, read-only file systems, capabilities, variables,
volumes, and what runs before the main container. What it lacks is done here: the files of secrets are folders of this
machine, addresses of services are lines of ``/etc/hosts``, and probes are asked from outside.
"""

import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import yaml

from deploy.compose.secrets import make_secrets
from deploy.images.bases import make_available
from deploy.images.build import image_name
from deploy.images.engine import Engine, ImageError
from deploy.images.names import COMPOSE, list_names
from deploy.verified import ROOT

Manifest = dict[str, Any]

NETWORK = "placard-pods"
_OVERLAY = ROOT / "deploy" / "kubernetes" / "overlays" / "dev"
_USER = "65532"
_SECRETS = {
    "placard-edge": {
        "key_file": "edge_key_file",
        "placard_redis_url": "redis_url_edge",
        "placard_snapshot_redis_url": "redis_url_receiver",
    },
    "placard-migrate": {"placard_database_url": "placard_database_url"},
    **{
        f"placard-{name}": {
            "key_file": "key_file",
            "placard_database_url": "placard_database_url",
            "placard_redis_url": f"redis_url_{role}",
        }
        for name, role in (
            *((name, name) for name in ("api", "ingest", "publish", "pace", "work")),
            ("doctor", "edge"),
        )
    },
}
"""The files of each secret, as docs/kubernetes.md lists them, and the name that `make_secrets` gives each."""


class Pods:
    """What runs in `NETWORK`. *folder*: for secrets and manifests."""

    def __init__(self, engine: Engine, folder: Path) -> None:
        self._engine = engine
        self._folder = folder
        self._manifests = _render()
        self._pods: list[str] = []

    def workload(self, name: str) -> Manifest:
        """The Deployment, StatefulSet or Job."""
        kinds = ("Deployment", "StatefulSet", "Job")
        (found,) = (
            one
            for one in self._manifests
            if one["kind"] in kinds and one["metadata"]["name"] == name
        )
        return found

    def start(self, name: str) -> None:
        """Starts one pod of a workload, with new volumes or those that an earlier pod of this name left."""
        pod = self._pod_of(self.workload(name))
        configuration = [one for one in self._manifests if one["kind"] == "ConfigMap"]
        claims = [
            {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": claim}}
            for claim in self._claims_of(pod)
            if self._engine.ask("podman", "volume", "inspect", claim) is None
        ]
        for claim in claims:
            # As `fsGroup` would: a volume of Podman belongs to root.
            annotations = {"volume.podman.io/uid": _USER, "volume.podman.io/gid": _USER}
            claim["metadata"]["annotations"] = annotations  # type: ignore[index]
        file = self._folder / f"{name}.yaml"
        file.write_text(yaml.safe_dump_all([*configuration, *claims, pod]))
        self._engine.run("podman", "kube", "play", "--network", NETWORK, str(file))
        self._pods.append(name)

    def ready(self, name: str) -> bool:
        """Whether the pod's readiness probe would pass. Raises `ImageError` if the pod ended."""
        container = f"{name}-placard"
        state = self._engine.run("podman", "inspect", "--format={{.State.Status}}", container)
        if state.strip() == "exited":
            raise ImageError(f"{name} ended:\n{self.logs(name)}")
        (main,) = self.workload(name)["spec"]["template"]["spec"]["containers"]
        probe = main["readinessProbe"]["httpGet"]
        ports = {port["name"]: port["containerPort"] for port in main["ports"]}
        url = f"http://{self.address(name)}:{ports[probe['port']]}{probe['path']}"
        try:
            return httpx.get(url, timeout=3.0).is_success
        except httpx.TransportError:
            return False

    def address(self, name: str) -> str:
        """The pod's address."""
        template = f'{{{{(index .NetworkSettings.Networks "{NETWORK}").IPAddress}}}}'
        infra = self._engine.run("podman", "pod", "inspect", "--format={{.InfraContainerID}}", name)
        return self._engine.run("podman", "inspect", f"--format={template}", infra.strip()).strip()

    def await_end(self, name: str) -> int:
        """The exit code of a pod that runs to its end."""
        return int(self._engine.run("podman", "wait", f"{name}-placard", timeout_s=300.0))

    def logs(self, name: str) -> str:
        done = self._engine.try_to("podman", "logs", "--tail=200", f"{name}-placard")
        return done.stdout + done.stderr

    def run_in(self, name: str, *command: str) -> str:
        """The output of *command* in the pod's main container. Raises `ImageError` if it fails."""
        return self._engine.run("podman", "exec", f"{name}-placard", *command)

    def stop(self, name: str) -> int:
        """Ends a pod as a node does: what the manifest runs before, then SIGTERM. Returns its exit code."""
        spec = self.workload(name)["spec"]["template"]["spec"]
        before = spec["containers"][0]["lifecycle"]["preStop"]
        if "exec" in before:
            self.run_in(name, *before["exec"]["command"])
        grace_s = str(spec["terminationGracePeriodSeconds"])
        self._engine.run("podman", "stop", "--time", grace_s, f"{name}-placard")
        form = "--format={{.State.ExitCode}}"
        return int(self._engine.run("podman", "inspect", form, f"{name}-placard"))

    def remove(self, name: str) -> None:
        """Removes a pod. Its volumes stay."""
        self._engine.run("podman", "pod", "rm", "--force", "--time=0", name)
        self._pods.remove(name)

    def clear(self) -> None:
        """Removes all pods and volumes."""
        claims = {claim for name in self._pods for claim in self._claims_of(self._made(name))}
        for name in [*self._pods]:
            self.remove(name)
        for claim in claims:
            self._engine.try_to("podman", "volume", "rm", "--force", claim)

    def _made(self, name: str) -> Manifest:
        *_, pod = yaml.safe_load_all((self._folder / f"{name}.yaml").read_text())
        return dict(pod)

    def _pod_of(self, workload: Manifest) -> Manifest:
        """As its controller makes it, with secrets as folders and the addresses of services that run already."""
        spec, name = workload["spec"], workload["metadata"]["name"]
        template = spec["template"]
        volumes = [self._as_folder(volume) for volume in template["spec"]["volumes"]]
        for claim in spec.get("volumeClaimTemplates", []):
            kind = claim["metadata"]["name"]
            claimed = {"claimName": f"{kind}-{name}-0"}
            volumes.append({"name": kind, "persistentVolumeClaim": claimed})
        aliases = [{"ip": self.address(one), "hostnames": [one]} for one in self._pods]
        return {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {**template["metadata"], "name": name},
            "spec": {**template["spec"], "volumes": volumes, "hostAliases": aliases},
        }

    def _as_folder(self, volume: Manifest) -> Manifest:
        if "secret" not in volume:
            return volume
        secret = volume["secret"]["secretName"]
        folder = self._folder / secret
        folder.mkdir(exist_ok=True)
        for name, source in _SECRETS[secret].items():
            made = folder / name
            made.write_bytes((self._folder / "secrets" / source).read_bytes())
            made.chmod(volume["secret"]["defaultMode"])
            shutil.chown(made, int(_USER), int(_USER))
        return {"name": volume["name"], "hostPath": {"path": str(folder), "type": "Directory"}}

    @staticmethod
    def _claims_of(pod: Manifest) -> list[str]:
        claims = (one.get("persistentVolumeClaim") for one in pod["spec"]["volumes"])
        return [claim["claimName"] for claim in claims if claim]


@contextmanager
def open_pods(engine: Engine, folder: Path) -> Iterator[Pods]:
    """No pod runs yet. PostgreSQL and Redis are ready; they, and all pods, are removed at the end."""
    for target in ("control", "edge"):
        if not engine.has(image_name(target)):
            raise ImageError(f"{image_name(target)} is not built. Build it with `make images`.")
    secrets = folder / "secrets"
    make_secrets(secrets)
    names = {one.repository.rpartition("/")[2]: one for one in list_names(COMPOSE)}
    servers = [names["postgres"], names["redis"]]
    missing = make_available(engine, servers, print)
    if missing:
        raise ImageError(f"{missing[0].name} cannot be had: no registry answers.")
    pods = Pods(engine, folder)
    engine.run("podman", "network", "create", "--ignore", NETWORK)
    try:
        _run_server(engine, "postgres", servers[0].name, (secrets / "postgres_password",), ())
        configuration = ROOT / "deploy" / "compose" / "redis.conf"
        files = (secrets / "redis_users", configuration)
        _run_server(
            engine, "redis", servers[1].name, files, ("redis-server", "/run/secrets/redis.conf")
        )
        yield pods
    finally:
        pods.clear()
        for server in ("postgres", "redis"):
            engine.try_to("podman", "rm", "--force", "--volumes", "--time=0", server)
        engine.try_to("podman", "network", "rm", "--force", NETWORK)


def _run_server(
    engine: Engine, name: str, image: str, files: Sequence[Path], command: Sequence[str]
) -> None:
    mounts = [f"--volume={file}:/run/secrets/{file.name}:ro" for file in files]
    variables = {
        "POSTGRES_USER": "placard",
        "POSTGRES_DB": "placard",
        "POSTGRES_PASSWORD_FILE": "/run/secrets/postgres_password",
    }
    own = [f"--env={key}={value}" for key, value in variables.items()] if name == "postgres" else []
    place = ("--detach", "--name", name, "--network", NETWORK)
    engine.run("podman", "run", *place, *mounts, *own, image, *command)


def _render() -> list[Manifest]:
    kubectl = shutil.which("kubectl")
    assert kubectl, "kubectl 1.32 or newer is needed: it renders the manifests"
    done = subprocess.run(
        [kubectl, "kustomize", _OVERLAY], capture_output=True, text=True, check=True
    )
    return list(yaml.safe_load_all(done.stdout))
