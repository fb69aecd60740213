"""An embedded Apache Kafka: one KRaft node on loopback."""

import asyncio
import json
import shutil
import signal
import threading
from pathlib import Path

from common.service.kafka_connection import KafkaConnection
from deploy.debian import Say
from deploy.standalone.kafka_jars import FOLDER, fetch
from deploy.standalone.process import Process
from deploy.standalone.server import Server, end_leftovers
from deploy.standalone.sockets import find_free_ports, port_is_free

_CLUSTER = "cGxhY2FyZC1sb29wYmFjaw"  # 16 bytes in base64, as Kafka wants it
_JAVA = (
    # The heap begins small, grows under load, and is given back: most brokers here see a few events a second.
    *("java", "-Xms32m", "-Xmx512m", "-XX:+UseSerialGC"),
    *("-XX:MinHeapFreeRatio=10", "-XX:MaxHeapFreeRatio=25"),
    # No counters for `jstat`, whose sampling wakes the process twenty times a second.
    "-XX:-UsePerfData",
    *("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-Djava.awt.headless=true"),
    *("-Dorg.slf4j.simpleLogger.showDateTime=true",),
)


class Kafka(Server):
    """Its ports are chosen at the first start and stored with the data, so that clients find it again."""

    name = "kafka"
    asking = ((signal.SIGTERM, 1.0),)

    def __init__(self, folder: Path, report: Say) -> None:
        super().__init__(folder)
        self._report = report
        self._ports = (0, 0)

    @property
    def bootstrap(self) -> str:
        return f"127.0.0.1:{self._ports[0]}"

    def start(self) -> None:
        jars = fetch(self._report)
        end_leftovers("kafka.Kafka", self.folder, wait_s=5)
        self._make_folder()
        self._choose_ports()
        settings = self._write_settings()
        java = [*_JAVA, "-cp", f"{jars}/*"]
        if not (self.folder / "data" / "meta.properties").exists():
            self._format([*java, "kafka.tools.StorageTool", "format"], settings)
        broker = [*java, "kafka.Kafka", str(settings)]
        process = Process.start(broker, output=self.log, folder=self.folder)
        self._await(process, self._answers)

    def wipe(self) -> None:
        """Loses the disk of a killed broker: topics, records and positions. Its ports stay."""
        shutil.rmtree(self.folder / "data")

    def _choose_ports(self) -> None:
        kept = self.folder / "ports.json"
        if not any(self._ports) and kept.exists():
            client, controller = json.loads(kept.read_text(encoding="utf-8"))
            if port_is_free(client) and port_is_free(controller):
                self._ports = (client, controller)
        if not any(self._ports):
            client, controller = find_free_ports(2)
            self._ports = (client, controller)
            kept.write_text(json.dumps(self._ports), encoding="utf-8")

    def _write_settings(self) -> Path:
        client, controller = (f"127.0.0.1:{port}" for port in self._ports)
        lines = [
            (FOLDER / "server.properties").read_text(encoding="utf-8"),
            f"listeners=BROKER://{client},CONTROLLER://{controller}",
            f"advertised.listeners=BROKER://{client}",
            f"controller.quorum.voters=1@{controller}",
            f"log.dirs={self.folder / 'data'}",
        ]
        path = self.folder / "server.properties"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return path

    def _format(self, command: list[str], settings: Path) -> None:
        shutil.rmtree(self.folder / "data", ignore_errors=True)
        format_it = [*command, "-t", _CLUSTER, "-c", str(settings)]
        self._run_to_end(Process.start(format_it, output=self.log, folder=self.folder))

    def _answers(self) -> bool:
        return not port_is_free(self._ports[0]) and answers(KafkaConnection(self.bootstrap))


def answers(kafka: KafkaConnection) -> bool:
    """Whether a broker there responds to a client.

    Runs in a thread of its own, because the caller may have an event loop running.
    """
    # aiokafka needs 4 MB.
    from aiokafka.admin import AIOKafkaAdminClient
    from aiokafka.errors import KafkaError

    brokers: list[object] = []

    async def ask() -> None:
        admin = AIOKafkaAdminClient(**kafka.client_arguments(), request_timeout_ms=3000)
        try:
            await admin.start()
            brokers.extend((await admin.describe_cluster())["brokers"])
        except (KafkaError, OSError):
            return
        finally:
            await admin.close()

    thread = threading.Thread(target=lambda: asyncio.run(ask()))
    thread.start()
    thread.join()
    return bool(brokers)
