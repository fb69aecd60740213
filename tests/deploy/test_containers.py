"""The Dockerfile and the compose file, checked without building or starting anything."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from control.foundation.settings import ControlSettings
from deploy.compose.__main__ import render_demo
from deploy.compose.project import digest_configuration, order_for_upgrade, read_services
from deploy.compose.secrets import AUTHORITY, make_secrets
from deploy.images.engine import FOLDER, ImageError, require_own
from deploy.images.names import COMPOSE, DOCKERFILE, list_names, with_digests
from deploy.verified import ROOT
from edge.settings import EdgeSettings
from loadtests.users.stack import demo
from tests.upgrade.builds import stated_order

_FILE = yaml.safe_load(COMPOSE.read_text())
_SERVICES: dict[str, dict[str, Any]] = _FILE["services"]
_OURS = {name for name, one in _SERVICES.items() if one["image"].startswith("placard-")}
_SECRET = re.compile(
    r"password|passwd|secret|token|_key(?!_file)|database_url|redis_url", re.IGNORECASE
)
_BIN = Path(sys.executable).parent


@pytest.mark.parametrize(
    "path",
    [DOCKERFILE, *sorted((ROOT / "deploy/images/base").glob("*.Dockerfile"))],
    ids=lambda path: path.name,
)
def test_a_dockerfile_keeps_the_rules_of_hadolint(path: Path) -> None:
    # Stand-ins take what their release of Debian has, which has one version of each package.
    ignored = [] if path == DOCKERFILE else ["--ignore=DL3008"]
    done = subprocess.run(
        [_BIN / "hadolint", *ignored, path], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


def test_the_compose_file_is_one_by_the_schema_of_its_specification() -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec"]
    done = subprocess.run([*command, COMPOSE], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_setting_that_the_compose_file_gives_exists() -> None:
    known = {*EdgeSettings.model_fields, *ControlSettings.model_fields}
    for name in _OURS:
        given = {key.removeprefix("PLACARD_").lower() for key in _SERVICES[name]["environment"]}
        assert given <= known, name


def test_every_file_of_a_secret_setting_is_named_like_a_setting() -> None:
    known = {
        f"placard_{one}" for one in {*EdgeSettings.model_fields, *ControlSettings.model_fields}
    }
    for name in _OURS:
        targets = {
            one if isinstance(one, str) else one["target"] for one in _SERVICES[name]["secrets"]
        }
        assert targets - {"key_file"} <= known, name


def test_every_service_that_keeps_running_has_a_health_check() -> None:
    without = {one.name for one in read_services() if not one.has_check}
    assert without == {"migrate", "doctor"}


def test_no_service_has_a_secret_in_its_environment() -> None:
    for name, one in _SERVICES.items():
        for key, value in one.get("environment", {}).items():
            is_path = str(value).startswith("/run/secrets")
            assert is_path or not _SECRET.search(key), f"{name}: {key}"


def test_no_service_of_ours_has_the_volume_of_its_image_without_a_name() -> None:
    for name in _OURS:
        one = _SERVICES[name]
        mounted = {place.split(":")[1] for place in one.get("volumes", [])} | {*one["tmpfs"]}
        assert "/var/lib/placard" in mounted, name


def test_an_edge_is_given_neither_the_root_keys_nor_the_database() -> None:
    for name in ("edge-live", "edge-test"):
        sources = {one["source"] for one in _SERVICES[name]["secrets"]}
        assert sources == {"edge_key_file", "redis_url_edge", "redis_url_receiver"}


def test_every_service_of_ours_is_confined() -> None:
    for name in _OURS:
        one = _SERVICES[name]
        assert one["read_only"] is True, name
        assert one["cap_drop"] == ["ALL"], name
        assert one["security_opt"] == ["no-new-privileges"], name


def test_every_published_port_is_on_loopback_unless_the_operator_says_otherwise() -> None:
    for name, one in _SERVICES.items():
        for port in one.get("ports", []):
            assert port.startswith(("127.0.0.1:", "${PLACARD_LISTEN:-127.0.0.1}:")), name


def test_services_start_after_those_that_they_wait_for() -> None:
    order = [one.name for one in read_services()]
    for one in read_services():
        for other in one.waits_for:
            assert order.index(other) < order.index(one.name)
    assert order.index("postgres") < order.index("migrate") < order.index("api")


def test_processes_that_run_are_replaced_in_the_documented_order() -> None:
    order = [one.name for one in order_for_upgrade(read_services())]
    kinds = [name.partition("-")[0] for name in order if name in _OURS - {"migrate", "doctor"}]
    assert list(dict.fromkeys(kinds)) == stated_order()
    assert order.index("migrate") < order.index("doctor") < order.index("ingest")
    assert order.index("work") < order.index("proxy")


def test_the_digest_of_a_configuration_changes_with_text_variables_and_mounted_files(
    tmp_path: Path,
) -> None:
    def digest(settings: dict[str, str], **more: str) -> str:
        mounted = ["data:/data", "./one.conf:/etc/one.conf:ro", "./rules:/etc/rules:ro"]
        declared = {"ports": ["${PORT:-1}:1"], "volumes": mounted, **more}
        return digest_configuration(declared, settings, tmp_path)

    (tmp_path / "rules").mkdir()
    files = (tmp_path / "one.conf", tmp_path / "rules" / "one.json")
    for path in files:
        path.write_text("")

    found = [digest({}), digest({}, user="99:99"), digest({"PORT": "2"})]
    for path in files:
        path.write_text("changed")
        found.append(digest({}))

    assert len({*found}) == len(found)
    assert digest({"ANOTHER": "2"}) == digest({})


def test_no_process_of_the_control_plane_starts_after_an_error_of_the_doctor() -> None:
    services = {one.name: one for one in read_services()}
    assert services["doctor"].waits_for["migrate"] == "service_completed_successfully"
    for name in ("api", "ingest", "publish", "pace", "work"):
        assert services[name].waits_for["doctor"] == "service_completed_successfully", name
    doctor = _SERVICES["doctor"]
    assert doctor["command"] == ["doctor", "--at-start"]
    assert doctor["restart"] == "no"
    # It checks the folders and settings of the process that uses most of them.
    assert doctor["volumes"] == _SERVICES["api"]["volumes"]
    assert doctor["environment"] == _SERVICES["api"]["environment"]


def test_every_secret_that_the_compose_file_names_is_made_once(tmp_path: Path) -> None:
    folder = tmp_path / "secrets"
    made = make_secrets(folder)
    named = {Path(one["file"]).name for one in _FILE["secrets"].values()}

    assert named <= {*made}
    assert AUTHORITY in made
    assert folder.stat().st_mode & 0o777 == 0o700
    assert make_secrets(folder) == []


def test_a_copied_checkout_does_not_write_to_the_images_of_the_original() -> None:
    require_own(FOLDER / "storage")
    with pytest.raises(ImageError, match="is a copy"):
        require_own(ROOT.parent / "original" / "build" / "containers" / "storage")


def test_every_public_image_is_named_with_an_exact_version() -> None:
    names = [*list_names(DOCKERFILE), *list_names(COMPOSE)]
    assert len(names) == 8
    for one in names:
        assert re.fullmatch(r"\d+(\.\d+)+", one.version), one


def test_a_digest_is_written_after_the_name_and_taken_away_again() -> None:
    text = "services:\n  a:\n    image: docker.io/library/a:1.2.3\n"
    digest = f"@sha256:{'0' * 64}"

    pinned = with_digests(text, {"docker.io/library/a:1.2.3": digest})

    assert pinned == f"services:\n  a:\n    image: docker.io/library/a:1.2.3{digest}\n"
    assert with_digests(pinned, {"docker.io/library/a:1.2.3": ""}) == text
    assert with_digests(pinned, {}) == pinned


def test_a_load_reads_the_demo_of_the_containers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = {"pk_live": {"key": "pk_live_x"}}
    addresses = {
        "control_url": "https://c",
        "edge_live_url": "https://l",
        "edge_test_url": "https://t",
    }
    made = {**addresses, "account_id": "a", "property": {"id": "p"}, "keys": names}
    file = tmp_path / "demo.json"
    file.write_text(render_demo(made, as_json=True), encoding="utf-8")
    monkeypatch.setenv("LOAD_DEMO", str(file))

    assert demo.__wrapped__() == made
    assert "export CONTROL_URL=https://c" in render_demo(made, as_json=False)
