"""The Kubernetes manifests, rendered by kustomize and checked without a cluster."""

import re
from collections.abc import Iterator
from functools import cache

import kubernetes_validate
import pytest

from common.service.channels import LOG_PARTITIONS
from control.foundation.settings import ControlSettings
from deploy.verified import ROOT
from edge.runtime.process_exit import STOP_S
from edge.settings import EdgeSettings
from tests.deploy.kubernetes_pods import Manifest, render

pytestmark = pytest.mark.containers  # they need kubectl

_FOLDER = ROOT / "deploy" / "kubernetes"
_OVERLAYS = ("dev", "production")
_VERSIONS = ("1.35.0", "1.36.0", "1.37.0")
_PROCESSES = {"api", "ingest", "publish", "pace", "work"}
_EDGES = {"edge-live", "edge-test"}
_CLUSTER_WIDE = {"Namespace", "PriorityClass"}
_JOBS = {"migrate", "doctor"}


_render = cache(render)


@pytest.fixture(params=_OVERLAYS)
def manifests(request: pytest.FixtureRequest) -> list[Manifest]:
    return _render(f"overlays/{request.param}")


def _of(manifests: list[Manifest], *kinds: str) -> dict[str, Manifest]:
    """Those of *kinds*, by name."""
    return {one["metadata"]["name"]: one for one in manifests if one["kind"] in kinds}


def _workloads(manifests: list[Manifest]) -> dict[str, Manifest]:
    return _of(manifests, "Deployment", "StatefulSet", "Job")


def _pods(manifests: list[Manifest]) -> dict[str, Manifest]:
    return {name: one["spec"]["template"]["spec"] for name, one in _workloads(manifests).items()}


def _labels(workload: Manifest) -> dict[str, str]:
    labels: dict[str, str] = workload["spec"]["template"]["metadata"]["labels"]
    return labels


def _main(pod: Manifest) -> Manifest:
    (container,) = pod["containers"]
    assert isinstance(container, dict)
    return container


def _containers(pod: Manifest) -> Iterator[Manifest]:
    yield from pod.get("initContainers", [])
    yield from pod["containers"]


def _environment(manifests: list[Manifest], container: Manifest) -> dict[str, str]:
    """The names of its variables, with their values where these are written."""
    maps = _of(manifests, "ConfigMap")
    found: dict[str, str] = {}
    for source in container.get("envFrom", []):
        found |= maps[source["configMapRef"]["name"]]["data"]
    for one in container.get("env", []):
        found[one["name"]] = one.get("value", "")
        reference = one.get("valueFrom", {}).get("configMapKeyRef")
        if reference:
            found[one["name"]] = maps[reference["name"]]["data"][reference["key"]]
    return found


@pytest.mark.parametrize("version", _VERSIONS)
def test_manifests_are_valid_by_the_strict_schemas_of_three_versions(
    manifests: list[Manifest], version: str
) -> None:
    for one in manifests:
        kubernetes_validate.validate(one, version, strict=True)


def test_the_schemas_reject_an_unknown_field() -> None:
    (service, *_) = _of(_render("overlays/dev"), "Service").values()
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(
            {**service, "spec": {**service["spec"], "portz": []}}, _VERSIONS[-1], strict=True
        )


def test_every_process_has_a_workload(manifests: list[Manifest]) -> None:
    assert set(_of(manifests, "Deployment")) == _PROCESSES
    assert set(_of(manifests, "StatefulSet")) == _EDGES
    assert set(_of(manifests, "Job")) == _JOBS
    for name, one in _of(manifests, "Deployment").items():
        assert _main(one["spec"]["template"]["spec"])["args"] == [name]


def test_every_setting_that_the_manifests_give_exists(manifests: list[Manifest]) -> None:
    for name, pod in _pods(manifests).items():
        model = EdgeSettings if name in _EDGES else ControlSettings
        for container in _containers(pod):
            given = {
                key.removeprefix("PLACARD_").lower()
                for key in _environment(manifests, container)
                if key.startswith("PLACARD_")
            }
            assert given <= set(model.model_fields), name


def test_the_settings_of_an_edge_are_accepted(
    manifests: list[Manifest], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in _EDGES:
        given = _environment(manifests, _main(_pods(manifests)[name]))
        given |= {"PLACARD_REDIS_URL": "redis://redis", "PLACARD_SECRETS_DIR": ""}
        with monkeypatch.context() as environment:
            for key, value in given.items():
                if value:
                    environment.setenv(key, value)
            assert EdgeSettings().environment == name.removeprefix("edge-")


def test_no_variable_holds_a_secret(manifests: list[Manifest]) -> None:
    secret = re.compile(r"PASSWORD|TOKEN|DATABASE_URL|REDIS_URL|SECRET_ACCESS")
    for name, pod in _pods(manifests).items():
        for container in _containers(pod):
            for one in container.get("env", []):
                assert "secretKeyRef" not in one.get("valueFrom", {}), name
            assert not [key for key in _environment(manifests, container) if secret.search(key)], (
                name
            )
    assert not _of(manifests, "Secret")


def test_an_edge_is_given_neither_the_root_keys_nor_the_database(
    manifests: list[Manifest],
) -> None:
    for name in _EDGES:
        workload = _workloads(manifests)[name]
        assert "placard/database" not in _labels(workload)
        volumes = workload["spec"]["template"]["spec"]["volumes"]
        names = {one["secret"]["secretName"] for one in volumes if "secret" in one}
        assert names == {"placard-edge"}


def test_every_container_is_confined(manifests: list[Manifest]) -> None:
    for name, pod in _pods(manifests).items():
        assert pod["automountServiceAccountToken"] is False, name
        assert pod["securityContext"]["runAsNonRoot"] is True, name
        assert pod["serviceAccountName"] in _of(manifests, "ServiceAccount"), name
        assert pod["priorityClassName"] in _of(manifests, "PriorityClass"), name
        for container in _containers(pod):
            security = container["securityContext"]
            assert security["readOnlyRootFilesystem"] is True, name
            assert security["allowPrivilegeEscalation"] is False, name
            assert security["capabilities"] == {"drop": ["ALL"]}, name
            assert security["seccompProfile"] == {"type": "RuntimeDefault"}, name
            assert set(container["resources"]["requests"]) == {"cpu", "memory"}, name
            assert set(container["resources"]["limits"]) == {"cpu", "memory"}, name


def test_the_namespace_refuses_pods_that_are_not_restricted(manifests: list[Manifest]) -> None:
    labels = _of(manifests, "Namespace")["placard"]["metadata"]["labels"]
    assert labels["pod-security.kubernetes.io/enforce"] == "restricted"


def test_every_process_that_keeps_running_has_probes_and_time_to_stop(
    manifests: list[Manifest],
) -> None:
    for name in _PROCESSES | _EDGES:
        container = _main(_pods(manifests)[name])
        ports = {one["name"]: one["containerPort"] for one in container["ports"]}
        assert ports["internal"] == 9090
        paths = [
            container[probe]["httpGet"]["path"]
            for probe in ("startupProbe", "readinessProbe", "livenessProbe")
        ]
        assert paths == ["/readyz", "/readyz", "/livez"], name
        assert "preStop" in container["lifecycle"], name


def test_an_edge_empties_its_spool_before_it_is_stopped(manifests: list[Manifest]) -> None:
    for name in _EDGES:
        workload = _workloads(manifests)[name]["spec"]
        pod = workload["template"]["spec"]
        *command, act, linger_s, drain_s = _main(pod)["lifecycle"]["preStop"]["exec"]["command"]
        assert act == "drain"
        program = ROOT / command[-1].removeprefix("/opt/placard/")
        assert program.is_file()
        assert str(program.relative_to(ROOT)) in (ROOT / "deploy/images/Dockerfile").read_text()
        needed_s = int(linger_s) + int(drain_s) + STOP_S
        assert pod["terminationGracePeriodSeconds"] > needed_s
        assert workload["persistentVolumeClaimRetentionPolicy"]["whenScaled"] == "Retain"
        (claim,) = workload["volumeClaimTemplates"]
        mounts = {one["name"]: one["mountPath"] for one in _main(pod)["volumeMounts"]}
        assert mounts[claim["metadata"]["name"]] == "/var/lib/placard"


def test_a_process_of_the_control_plane_starts_after_the_migration(
    manifests: list[Manifest],
) -> None:
    for name in _PROCESSES | {"doctor"}:
        pod = _pods(manifests)[name]
        (gate,) = pod["initContainers"]
        assert gate["args"] == ["migrate", "--wait"]
        assert gate["image"] == _main(pod)["image"] == _main(_pods(manifests)["migrate"])["image"]


def test_the_doctor_checks_the_stores_of_the_api_and_the_event_log_of_ingest(
    manifests: list[Manifest],
) -> None:
    job = _workloads(manifests)["doctor"]
    pods = _pods(manifests)
    given = {
        name: _environment(manifests, _main(pods[name])) for name in ("doctor", "api", "ingest")
    }
    assert _main(pods["doctor"])["args"] == ["doctor", "--at-start"]
    assert given["doctor"] == given["api"] | given["ingest"]
    # A failed attempt keeps its log, and the job fails after the last one.
    assert pods["doctor"]["restartPolicy"] == "Never"
    assert job["spec"]["backoffLimit"] > 0
    mounted = {one["mountPath"] for one in _main(pods["doctor"])["volumeMounts"]}
    for name in ("api", "ingest"):
        assert {one["mountPath"] for one in _main(pods[name])["volumeMounts"]} <= mounted, name


def test_volumes_that_containers_mount_exist(manifests: list[Manifest]) -> None:
    for name, pod in _pods(manifests).items():
        spec = _workloads(manifests)[name]["spec"]
        claims = {one["metadata"]["name"] for one in spec.get("volumeClaimTemplates", [])}
        volumes = {one["name"] for one in pod["volumes"]} | claims
        for container in _containers(pod):
            assert {one["name"] for one in container["volumeMounts"]} <= volumes, name
        for one in pod["volumes"]:
            claim = one.get("persistentVolumeClaim")
            assert not claim or claim["claimName"] in _of(manifests, "PersistentVolumeClaim")


def test_selectors_and_references_find_what_they_name(manifests: list[Manifest]) -> None:
    workloads = _workloads(manifests)
    services = _of(manifests, "Service")
    for one in [*services.values(), *_of(manifests, "PodDisruptionBudget").values()]:
        selector = one["spec"]["selector"]
        wanted = selector.get("matchLabels", selector).items()
        found = [name for name, other in workloads.items() if wanted <= _labels(other).items()]
        assert found == [one["metadata"]["name"]]
    for name, one in services.items():
        ports = {port["name"] for port in _main(_pods(manifests)[name])["ports"]}
        assert {port["targetPort"] for port in one["spec"]["ports"]} <= ports
    for one in _of(manifests, "HorizontalPodAutoscaler").values():
        target = one["spec"]["scaleTargetRef"]
        assert workloads[target["name"]]["kind"] == target["kind"]
        assert "replicas" not in workloads[target["name"]]["spec"]
    for one in _of(manifests, "Ingress").values():
        for rule in one["spec"]["rules"]:
            for path in rule["http"]["paths"]:
                assert path["backend"]["service"]["name"] in services
    for one in manifests:
        wide = one["kind"] in _CLUSTER_WIDE
        assert wide or one["metadata"]["namespace"] == "placard", one["metadata"]["name"]


def test_every_process_has_a_disruption_budget(manifests: list[Manifest]) -> None:
    assert set(_of(manifests, "PodDisruptionBudget")) == _PROCESSES | _EDGES


def test_all_traffic_is_denied_that_no_policy_allows(manifests: list[Manifest]) -> None:
    policies = _of(manifests, "NetworkPolicy")
    deny = policies["deny-all"]["spec"]
    assert set(deny["policyTypes"]) == {"Ingress", "Egress"}
    assert "ingress" not in deny
    assert "egress" not in deny
    wanted = deny["podSelector"]["matchLabels"].items()
    for name, one in _workloads(manifests).items():
        assert wanted <= _labels(one).items(), name


def test_policies_allow_each_process_its_servers(manifests: list[Manifest]) -> None:
    workloads = _workloads(manifests)

    def clients(server: str) -> set[str]:
        return {name for name, one in workloads.items() if _labels(one).get(f"placard/{server}")}

    assert clients("database") == _PROCESSES | _JOBS
    assert clients("redis") == _PROCESSES | _EDGES | {"doctor"}
    assert clients("kafka") == {"ingest", "doctor"} | _EDGES
    assert clients("web") == {"api", "work", "doctor"} | _EDGES
    assert clients("mail") == {"work", "doctor"}
    assert clients("reports") == {"api", "work", "doctor"}


def test_the_autoscaler_of_ingest_stops_at_the_partitions_of_the_log() -> None:
    scalers = _of(_render("overlays/production"), "HorizontalPodAutoscaler")
    assert scalers["ingest"]["spec"]["maxReplicas"] == LOG_PARTITIONS


def test_production_uses_the_names_that_the_servers_have() -> None:
    production, servers = _render("overlays/production"), _render("deps")
    kafka = _environment(production, _main(_pods(production)["ingest"]))
    assert kafka["PLACARD_KAFKA_BOOTSTRAP_SERVERS"] == "kafka-kafka-bootstrap:9093"
    assert set(_of(servers, "Kafka")) == {"kafka"}
    secrets = {
        source["secret"]["name"]
        for pod in _pods(production).values()
        for volume in pod["volumes"]
        for source in volume.get("projected", {}).get("sources", [])
    }
    assert secrets == {"kafka-cluster-ca-cert", *_of(servers, "KafkaUser")}
    policies = _of(production, "NetworkPolicy")
    (rule,) = policies["to-database"]["spec"]["egress"]
    selected = rule["to"][0]["podSelector"]["matchLabels"]
    assert selected["cnpg.io/cluster"] in {
        one["metadata"]["name"]
        for one in servers
        if one["apiVersion"].startswith("postgresql.cnpg.io") and one["kind"] == "Cluster"
    }


def test_production_runs_two_of_everything() -> None:
    production = _render("overlays/production")
    scalers = _of(production, "HorizontalPodAutoscaler")
    for name in _PROCESSES | _EDGES:
        spec = _workloads(production)[name]["spec"]
        count = scalers[name]["spec"]["minReplicas"] if name in scalers else spec["replicas"]
        assert count >= 2, name
        assert spec["template"]["spec"]["topologySpreadConstraints"], name
