"""A real API server of Kubernetes takes the manifests, and its admission takes their pods."""

import asyncio
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from deploy.standalone.process import Process
from deploy.standalone.sockets import find_free_ports
from deploy.verified import ROOT
from tests.deploy.kubernetes_programs import build
from tests.support.certificates import Authority
from tests.support.waiting import until

pytestmark = pytest.mark.containers  # the programs are built for minutes

Manifest = dict[str, Any]

_FOLDER = ROOT / "deploy" / "kubernetes" / "overlays"
_NEEDED_FIRST = ("Namespace", "PriorityClass", "ServiceAccount")
"""What others need to be there before they are checked."""
_WORKLOADS = ("Deployment", "StatefulSet", "Job")


class ApiServer:
    """An API server on an etcd of its own. No controller runs, so that objects stay as they were sent."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self._programs = programs
        self._folder = folder
        self._etcd, peer, self._port = find_free_ports(3)
        self._peer = f"http://127.0.0.1:{peer}"
        self._authority = Authority(folder)
        self._processes: list[Process] = []
        self.log = folder / "server.log"

    def start(self) -> None:
        etcd = f"http://127.0.0.1:{self._etcd}"
        certificate, key = self._authority.issue("api", addresses=("127.0.0.1",))
        tokens = self._folder / "tokens.csv"
        tokens.write_text("operator,operator,1,system:masters\n")
        self._run(
            "etcd",
            *("--data-dir", self._folder / "etcd", "--listen-client-urls", etcd),
            *("--advertise-client-urls", etcd, "--listen-peer-urls", self._peer),
            *("--initial-advertise-peer-urls", self._peer),
            *("--initial-cluster", f"default={self._peer}", "--unsafe-no-fsync"),
        )
        self._run(
            "kube-apiserver",
            *("--etcd-servers", etcd, "--secure-port", self._port, "--bind-address", "127.0.0.1"),
            *("--tls-cert-file", certificate, "--tls-private-key-file", key),
            *("--token-auth-file", tokens, "--authorization-mode", "RBAC"),
            *("--service-account-issuer", "https://placard.example"),
            *("--service-account-key-file", certificate, "--service-account-signing-key-file", key),
            *("--service-cluster-ip-range", "10.0.0.0/24"),
        )

    async def is_ready(self) -> bool:
        assert all(one.alive() for one in self._processes), self.log.read_text()[-3000:]
        return self.try_to("get", "--raw", "/readyz").returncode == 0

    def stop(self) -> None:
        for one in reversed(self._processes):
            one.kill()

    def kubectl(self, *arguments: str, given: Sequence[Any] = ()) -> str:
        done = self.try_to(*arguments, given=given)
        assert done.returncode == 0, done.stderr
        assert "Warning" not in done.stderr, done.stderr
        return done.stdout

    def try_to(
        self, *arguments: str, given: Sequence[Any] = ()
    ) -> "subprocess.CompletedProcess[str]":
        """*given*: objects for ``--filename -``."""
        connection = (
            *("--server", f"https://127.0.0.1:{self._port}", "--token", "operator"),
            *("--certificate-authority", str(self._authority.file)),
        )
        return subprocess.run(
            [self._programs / "kubectl", *connection, *arguments],
            input=yaml.safe_dump_all(given),
            capture_output=True,
            text=True,
            check=False,
        )

    def _run(self, program: str, *arguments: object) -> None:
        command: list[str | Path] = [self._programs / program, *map(str, arguments)]
        self._processes.append(Process.start(command, output=self.log, folder=self._folder))


@pytest.fixture(scope="module", params=["dev", "production"])
def overlay(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def server(overlay: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiServer]:
    """A new one for each overlay: some fields of one cannot be changed into those of the other."""
    del overlay
    server = ApiServer(build(print), tmp_path_factory.mktemp("kubernetes"))
    try:
        server.start()
        asyncio.run(until(server.is_ready))
        yield server
    finally:
        server.stop()


@pytest.fixture
def manifests(overlay: str, server: ApiServer) -> list[Manifest]:
    """Rendered, with what needs to be there first on the server."""
    rendered = server.kubectl("kustomize", str(_FOLDER / overlay))
    found: list[Manifest] = list(yaml.safe_load_all(rendered))
    server.kubectl("apply", "--filename", "-", given=_of(found, *_NEEDED_FIRST))
    return found


def _of(manifests: Sequence[Manifest], *kinds: str) -> list[Manifest]:
    return [one for one in manifests if one["kind"] in kinds]


def test_the_api_server_takes_every_manifest_without_a_warning(
    server: ApiServer, manifests: list[Manifest]
) -> None:
    done = server.kubectl("apply", "--dry-run=server", "--filename", "-", given=manifests)
    assert len(done.splitlines()) == len(manifests), done
    # Twice, as an upgrade does: some fields cannot be changed.
    server.kubectl("apply", "--filename", "-", given=manifests)
    server.kubectl("apply", "--filename", "-", given=manifests)


def test_admission_takes_a_pod_of_every_workload(
    server: ApiServer, manifests: list[Manifest]
) -> None:
    """Its priority, its account, and the standard `restricted` that the namespace enforces."""
    pods = [_pod_of(one) for one in _of(manifests, *_WORKLOADS)]
    done = server.kubectl("create", "--dry-run=server", "--filename", "-", given=pods)
    assert len(done.splitlines()) == len(pods)


def test_admission_refuses_a_pod_that_is_not_confined(
    server: ApiServer, manifests: list[Manifest]
) -> None:
    pod = _pod_of(_of(manifests, *_WORKLOADS)[0])
    pod["spec"]["containers"][0]["securityContext"]["allowPrivilegeEscalation"] = True
    done = server.try_to("create", "--dry-run=server", "--filename", "-", given=[pod])
    assert done.returncode != 0
    assert "allowPrivilegeEscalation" in done.stderr


def test_the_api_server_refuses_an_unknown_field(
    server: ApiServer, manifests: list[Manifest]
) -> None:
    service = _of(manifests, "Service")[0]
    wrong = {**service, "spec": {**service["spec"], "portz": []}}
    done = server.try_to("apply", "--dry-run=server", "--filename", "-", given=[wrong])
    assert done.returncode != 0
    assert "portz" in done.stderr


def _pod_of(workload: Manifest) -> Manifest:
    """As its controller makes it: that of a StatefulSet has a volume for each claim."""
    spec = workload["spec"]
    template = spec["template"]
    name = {"name": workload["metadata"]["name"], "namespace": "placard"}
    claims = [one["metadata"]["name"] for one in spec.get("volumeClaimTemplates", [])]
    volumes = [{"name": one, "persistentVolumeClaim": {"claimName": one}} for one in claims]
    pod = {**template["spec"], "volumes": [*template["spec"]["volumes"], *volumes]}
    metadata = {**template["metadata"], **name}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": pod}
