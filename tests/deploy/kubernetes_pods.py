"""
Pods of the overlay `dev`, run by ``podman kube play`` beside PostgreSQL and Redis in containers of their own.

Podman reads the rendered pods themselves: their commands, users, read-only file systems, capabilities, variables,
volumes, and what runs before the main container. What it lacks is done here: the files of secrets are folders of this
machine, addresses of services are lines of ``/etc/hosts``, and probes are asked from outside.
"""

import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import yaml

from deploy.compose.secrets import make_secrets
from deploy.debian import last_lines
from deploy.images.bases import make_available
from deploy.images.build import image_name
from deploy.images.engine import Engine, ImageError
from deploy.images.names import COMPOSE, list_names
from deploy.standalone.sockets import find_free_ports
from deploy.verified import ROOT

Manifest = dict[str, Any]

NETWORK = "placard-pods"
_FOLDER = ROOT / "deploy" / "kubernetes"
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

_URLS = {
    "PLACARD_CONTROL_URL": "api",
    "PLACARD_EDGE_LIVE_URL": "edge-live",
    "PLACARD_EDGE_TEST_URL": "edge-test",
}
"""By public URL, the pod that it belongs to."""
_READY = {
    "postgres": ("pg_isready", "--host=127.0.0.1", "--username=placard", "--dbname=placard"),
    "redis": ("redis-cli", "ping"),
}
"""The servers, and what succeeds in their containers once they are ready."""
_READY_S = 60.0


class Pods:
    """What runs in `NETWORK`. *folder*: for secrets and manifests."""

    def __init__(self, engine: Engine, folder: Path) -> None:
        self._engine = engine
        self._folder = folder
        self._manifests = render("overlays/dev")
        self._ports: dict[str, int] = {}
        # An installation has URLs of its own; these reach the pods from this machine.
        for one in self._manifests:
            for variable, pod in _URLS.items():
                if variable in one.get("data", {}):
                    one["data"][variable] = self.url(pod)
        self._services = {
            one["metadata"]["name"] for one in self._manifests if one["kind"] == "Service"
        }
        self._pods: list[str] = []
        self._claims = set[str]()

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
        volumes = (one.get("persistentVolumeClaim") for one in pod["spec"]["volumes"])
        claims = {volume["claimName"] for volume in volumes if volume}
        new = [_claim(one) for one in sorted(claims - self._claims)]
        file = self._folder / f"{name}.yaml"
        file.write_text(yaml.safe_dump_all([*configuration, *new, pod]))
        self._pods.append(name)
        self._claims |= claims
        self._engine.run("podman", "kube", "play", "--network", NETWORK, str(file))

    def ready(self, name: str) -> bool:
        """Whether the pod's readiness probe would pass. Raises `ImageError` if the pod ended."""
        container = f"{name}-placard"
        state = self._engine.run("podman", "inspect", "--format={{.State.Status}}", container)
        if state.strip() == "exited":
            raise ImageError(f"{name} ended:\n{self.logs(name)}")
        (main,) = self.workload(name)["spec"]["template"]["spec"]["containers"]
        probe = main["readinessProbe"]["httpGet"]
        ports = {port["name"]: port["containerPort"] for port in main["ports"]}
        url = f"http://{self._address(name)}:{ports[probe['port']]}{probe['path']}"
        try:
            return httpx.get(url, timeout=3.0).is_success
        except httpx.TransportError:
            return False

    def url(self, name: str) -> str:
        """Where this machine reaches the port `http` of a pod."""
        return f"http://127.0.0.1:{self._port(name)}"

    def _port(self, name: str) -> int:
        if name not in self._ports:
            (self._ports[name],) = find_free_ports(1)
        return self._ports[name]

    def _address(self, name: str) -> str:
        """The pod's address."""
        infra = self._engine.run("podman", "pod", "inspect", "--format={{.InfraContainerID}}", name)
        return self._address_of(infra.strip())

    def _address_of(self, container: str) -> str:
        template = f'{{{{(index .NetworkSettings.Networks "{NETWORK}").IPAddress}}}}'
        return self._engine.run("podman", "inspect", f"--format={template}", container).strip()

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
        for name in self._pods:
            self._engine.try_to("podman", "pod", "rm", "--force", "--time=0", name)
        for claim in self._claims:
            self._engine.try_to("podman", "volume", "rm", "--force", claim)

    def _pod_of(self, workload: Manifest) -> Manifest:
        """As its controller makes it, with secrets as folders and the addresses of services that run already."""
        spec, name = workload["spec"], workload["metadata"]["name"]
        template = spec["template"]
        volumes = [self._as_folder(volume) for volume in template["spec"]["volumes"]]
        for claim in spec.get("volumeClaimTemplates", []):
            kind = claim["metadata"]["name"]
            claimed = {"claimName": f"{kind}-{name}-0"}
            volumes.append({"name": kind, "persistentVolumeClaim": claimed})
        services = {one: self._address_of(one) for one in _READY}
        services |= {one: self._address(one) for one in self._pods if one in self._services}
        aliases = [{"ip": address, "hostnames": [one]} for one, address in services.items()]
        # With the default, `Always`, Podman also restarts the init container that has done its work.
        own = {"volumes": volumes, "hostAliases": aliases, "restartPolicy": "OnFailure"}
        main = dict(template["spec"]["containers"][0])
        # Podman would publish every port.
        main["ports"] = [
            {**port, "hostIP": "127.0.0.1", "hostPort": self._port(name)}
            for port in main.get("ports", ())
            if port["name"] == "http"
        ]
        own["containers"] = [main]
        return {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {**template["metadata"], "name": name},
            "spec": template["spec"] | own,
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
    engine.run("podman", "network", "create", NETWORK)
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
        for server in _READY:
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
    place = ("--detach", "--name", name, "--network", NETWORK, "--user", "999:999")
    engine.run("podman", "run", *place, *mounts, *own, image, *command)
    deadline = time.monotonic() + _READY_S
    while engine.ask("podman", "exec", name, *_READY[name]) is None:
        if time.monotonic() > deadline:
            raise ImageError(
                f"{name} is not ready:\n{last_lines(engine.try_to('podman', 'logs', name))}"
            )
        time.sleep(0.5)


def _claim(name: str) -> Manifest:
    # As `fsGroup` would: a volume of Podman belongs to root.
    owner = {"volume.podman.io/uid": _USER, "volume.podman.io/gid": _USER}
    metadata = {"name": name, "annotations": owner}
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata}


def render(folder: str) -> list[Manifest]:
    """What `kubectl apply --kustomize` would send for a folder of ``deploy/kubernetes``."""
    kubectl = shutil.which("kubectl")
    assert kubectl, "kubectl 1.32 or newer is needed: it renders the manifests"
    done = subprocess.run(
        [kubectl, "kustomize", _FOLDER / folder], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return list(yaml.safe_load_all(done.stdout))
