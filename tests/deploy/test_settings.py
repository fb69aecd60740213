"""What a person may choose, and what the answer is when that cannot be had."""

import socket
from pathlib import Path

import pytest

from deploy.standalone.errors import StartError
from deploy.standalone.settings import read_settings

_ANY_PORTS = {
    "PLACARD_CONTROL_PORT": "0",
    "PLACARD_EDGE_LIVE_PORT": "0",
    "PLACARD_EDGE_TEST_PORT": "0",
}


def test_port_zero_takes_three_different_free_ports(tmp_path: Path) -> None:
    settings = read_settings(_ANY_PORTS, tmp_path)
    ports = {settings.control_port, settings.edge_live_port, settings.edge_test_port}
    assert len(ports) == 3
    assert 0 not in ports


def test_a_taken_port_is_named_with_its_variable(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        with pytest.raises(StartError, match=rf"(?s){port}.*PLACARD_EDGE_LIVE_PORT"):
            read_settings({**_ANY_PORTS, "PLACARD_EDGE_LIVE_PORT": port}, tmp_path)


def test_two_equal_ports_are_named_with_their_variables(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = str(closed.getsockname()[1])
    twice = {"PLACARD_CONTROL_PORT": port, "PLACARD_EDGE_LIVE_PORT": port}
    with pytest.raises(
        StartError, match=rf"PLACARD_CONTROL_PORT and PLACARD_EDGE_LIVE_PORT are both {port}"
    ):
        read_settings({**_ANY_PORTS, **twice}, tmp_path)


@pytest.mark.parametrize("text", ["", "http", "-1", "65536", "٣"])
def test_a_port_that_is_no_port_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(StartError, match="PLACARD_CONTROL_PORT"):
        read_settings({**_ANY_PORTS, "PLACARD_CONTROL_PORT": text}, tmp_path)


def test_a_named_broker_is_used_rather_than_an_embedded_one(tmp_path: Path) -> None:
    named = {**_ANY_PORTS, "KAFKA": "1", "PLACARD_KAFKA_BOOTSTRAP_SERVERS": "127.0.0.1:1"}
    assert not read_settings(named, tmp_path).embedded_kafka
