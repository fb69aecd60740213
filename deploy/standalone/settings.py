"""Settings of the stack, read from the environment."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from common.service.settings import with_present_names
from deploy.standalone.errors import StartError
from deploy.standalone.sockets import find_free_ports, port_is_free

_LARGEST_PORT = 65_535
_PORTS = {
    "PLACARD_CONTROL_PORT": 8000,
    "PLACARD_EDGE_LIVE_PORT": 8080,
    "PLACARD_EDGE_TEST_PORT": 8081,
}


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Ports are chosen and free. An empty address means an embedded server, or none for Kafka."""

    state: Path
    control_port: int
    edge_live_port: int
    edge_test_port: int
    database_url: str
    redis_url: str
    kafka: str
    embedded_kafka: bool
    namespace: str
    edge_workers: str
    geo_database: str = ""
    """Empty: a tiny database of reserved ranges is created."""
    sign_ups_per_hour: str = "100000"
    """High, because tests and demonstrations sign up from one address."""
    click_min_delay_ms: str = "0"
    """Zero, because people who try things out click by script, sooner than a user could."""

    sample: bool = False
    """Whether to make the sample account. Never where others may reach the stack: everybody may sign in to it."""

    urls: tuple[str, str, str] | None = None
    """Of the control plane, the live and the test edge, where they are not on loopback without TLS."""

    @property
    def sample_file(self) -> Path:
        """E-mail and password of the sample account, which the sign-in page reads."""
        return self.state / "sample.json"

    @property
    def control_url(self) -> str:
        return self.urls[0] if self.urls else f"http://127.0.0.1:{self.control_port}"

    @property
    def edge_live_url(self) -> str:
        return self.urls[1] if self.urls else f"http://127.0.0.1:{self.edge_live_port}"

    @property
    def edge_test_url(self) -> str:
        return self.urls[2] if self.urls else f"http://127.0.0.1:{self.edge_test_port}"

    @property
    def assets_url(self) -> str:
        return f"{self.edge_live_url}/assets"


def find_state(environment: Mapping[str, str], root: Path) -> Path:
    """The folder that holds everything of one stack."""
    return (root / environment.get("PLACARD_STATE", "var")).resolve()


def read_settings(environment: Mapping[str, str], state: Path) -> Settings:
    """Raise `StartError` for a port that is not a number, is taken, or is named twice."""
    environment = with_present_names(environment)
    control, live, test = _choose_ports(environment)
    named_kafka = environment.get("PLACARD_KAFKA_BOOTSTRAP_SERVERS", "")
    wants_kafka = environment.get("KAFKA", "") not in {"", "0"}
    return Settings(
        state=state,
        control_port=control,
        edge_live_port=live,
        edge_test_port=test,
        database_url=environment.get("PLACARD_DATABASE_URL", ""),
        redis_url=environment.get("PLACARD_REDIS_URL", ""),
        kafka=named_kafka,
        embedded_kafka=wants_kafka and not named_kafka,
        namespace=environment.get("PLACARD_NAMESPACE", "placard"),
        edge_workers=environment.get("PLACARD_EDGE_WORKERS", "2"),
        geo_database=environment.get("PLACARD_GEO_DATABASE", ""),
        sign_ups_per_hour=environment.get("PLACARD_SIGN_UPS_PER_HOUR", "100000"),
        click_min_delay_ms=environment.get("PLACARD_CLICK_MIN_DELAY_MS", "0"),
        sample=environment.get("PLACARD_SAMPLE", "1") not in {"", "0"},
    )


def _choose_ports(environment: Mapping[str, str]) -> list[int]:
    wanted = {name: _port(name, environment.get(name, str(port))) for name, port in _PORTS.items()}
    names = dict[int, str]()
    for name, port in wanted.items():
        if port and port in names:
            raise StartError(
                f"{names[port]} and {name} are both {port}. "
                f"Choose another port in one of them (0 takes any free one)."
            )
        names[port] = name
    free = iter(find_free_ports(len(wanted)))
    return [port or next(free) for port in wanted.values()]


def _port(name: str, text: str) -> int:
    port = int(text) if text.isascii() and text.isdigit() else -1
    if not 0 <= port <= _LARGEST_PORT:
        raise StartError(f"{name} is {text!r}. Give a port, 0 to 65535; 0 takes any free one.")
    if port and not port_is_free(port):
        raise StartError(
            f"Port {port} of 127.0.0.1 is taken by another program. "
            f"Stop that one, or choose another port in {name} (0 takes any free one)."
        )
    return port
