"""The programs of the stack, and the environment of each."""

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from deploy.standalone.child import Program
from deploy.standalone.geo import demo_geo_path
from deploy.standalone.redis_users import RedisUsers
from deploy.standalone.settings import Settings
from deploy.standalone.sockets import find_free_ports
from deploy.standalone.state import MARK

PROMETHEUS_TARGETS = "prometheus-targets.json"
_LOOPS = ("ingest", "publish", "pace", "work")
SECRET = frozenset(
    {
        *("PLACARD_DATABASE_URL", "PLACARD_DATABASE_DIRECT_URL", "PLACARD_DATABASE_READ_URL"),
        *("PLACARD_MAIL_URL", "PLACARD_EXPORTS_STORE", "PLACARD_REPORT_STORE_URL"),
    }
)
"""Settings of the control plane only. An edge faces the internet, and attackers would read its environment first."""


@dataclass(frozen=True)
class Addresses:
    """
    Addresses of the servers. `kafka` is empty if the event log is on Redis Streams. `redis_users` is None for an
    external Redis, whose one URL is used by all.
    """

    database_url: str
    redis_url: str
    kafka: str
    redis_users: RedisUsers | None = None

    def redis_of(self, role: str) -> str:
        """The URL for a role of `redis_users.ROLES`."""
        if self.redis_users is None:
            return self.redis_url
        return self.redis_users.url(self.redis_url, role)


def make_environment(settings: Settings, servers: Addresses, key_file: Path) -> dict[str, str]:
    """
    The environment of every program of the stack, and of people who inspect it: they use the
    operator's Redis user.
    """
    return {
        MARK: str(settings.state),
        "PLACARD_STATE": str(settings.state),
        "PLACARD_DATABASE_URL": servers.database_url,
        "PLACARD_REDIS_URL": servers.redis_of("operator"),
        "PLACARD_KAFKA_BOOTSTRAP_SERVERS": servers.kafka,
        "PLACARD_KEY_FILE": str(key_file),
        "PLACARD_NAMESPACE": settings.namespace,
        "PLACARD_CONTROL_HOST": "127.0.0.1",
        "PLACARD_CONTROL_PORT": str(settings.control_port),
        "PLACARD_CONTROL_URL": settings.control_url,
        "PLACARD_EDGE_LIVE_URL": settings.edge_live_url,
        "PLACARD_EDGE_TEST_URL": settings.edge_test_url,
        "PLACARD_ASSETS_URL": settings.assets_url,
        "PLACARD_CLICK_MIN_DELAY_MS": settings.click_min_delay_ms,
        "PLACARD_SIGN_UPS_PER_HOUR": settings.sign_ups_per_hour,
        "PLACARD_LOG_FORMAT": "console",
        **({"PLACARD_SAMPLE_FILE": str(settings.sample_file)} if settings.sample else {}),
    }


def list_control(
    settings: Settings, servers: Addresses, environment: dict[str, str], snapshot_port: int
) -> list[Program]:
    """*snapshot_port*: where publish serves snapshots to edges whose Redis is unavailable."""
    api, *loops = find_free_ports(1 + len(_LOOPS))
    programs = [
        Program(
            "api",
            ("control", "api"),
            {
                **environment,
                "PLACARD_REDIS_URL": servers.redis_of("api"),
                "PLACARD_INTERNAL_PORT": str(api),
            },
            f"{settings.control_url}/readyz",
        )
    ]
    for name, port in zip(_LOOPS, loops, strict=True):
        own = {
            **environment,
            "PLACARD_REDIS_URL": servers.redis_of(name),
            "PLACARD_INTERNAL_PORT": str(port),
        }
        if name == "publish":
            own["PLACARD_SNAPSHOT_PORT"] = str(snapshot_port)
        programs.append(Program(name, ("control", name), own, f"http://127.0.0.1:{port}/readyz"))
    return programs


def list_edges(
    settings: Settings,
    servers: Addresses,
    environment: dict[str, str],
    snapshot_port: int,
    key_file: Path,
) -> list[Program]:
    """*key_file*: the edges' key file."""
    shared = {name: value for name, value in environment.items() if name not in SECRET}
    ports = {"live": settings.edge_live_port, "test": settings.edge_test_port}
    urls = {"live": settings.edge_live_url, "test": settings.edge_test_url}
    internal = dict(zip(ports, find_free_ports(len(ports)), strict=True))
    # Two edges of one machine, and those of two stacks of one machine, need different names.
    mark = sha256(str(settings.state).encode()).hexdigest()[:8]
    return [
        Program(
            f"edge-{name}",
            ("edge",),
            {
                **shared,
                "PLACARD_KEY_FILE": str(key_file),
                "PLACARD_REDIS_URL": servers.redis_of("edge"),
                "PLACARD_SNAPSHOT_REDIS_URL": servers.redis_of("receiver"),
                "PLACARD_ENVIRONMENT": name,
                "PLACARD_EDGE_NAME": f"edge-{name}-{mark}",
                "PLACARD_EDGE_HOST": "127.0.0.1",
                "PLACARD_EDGE_PORT": str(port),
                "PLACARD_EDGE_URL": urls[name],
                # Content of one's own machine can be stitched here; in production it comes from public addresses.
                "PLACARD_AUDIO_NETWORKS": '["127.0.0.0/8","::1/128"]',
                "PLACARD_EDGE_WORKERS": settings.edge_workers if name == "live" else "1",
                "PLACARD_GEO_DATABASE": settings.geo_database or str(demo_geo_path(settings.state)),
                "PLACARD_SPOOL_DIR": str(settings.state / "spool" / name),
                "PLACARD_SNAPSHOT_DIR": str(settings.state / "snapshot" / name),
                "PLACARD_SNAPSHOT_URL": f"http://127.0.0.1:{snapshot_port}",
                "PLACARD_INTERNAL_PORT": str(internal[name]),
            },
            f"{urls[name]}/readyz",
            hidden=SECRET,
        )
        for name, port in ports.items()
    ]


def list_targets(programs: Iterable[Program]) -> list[dict[str, Any]]:
    """What Prometheus scrapes, in the format of its file_sd_configs; both edges are the job `edge`."""
    return [
        {
            "targets": [f"127.0.0.1:{program.environment['PLACARD_INTERNAL_PORT']}"],
            "labels": {"job": program.name.partition("-")[0]},
        }
        for program in programs
    ]
