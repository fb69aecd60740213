"""An edge machine beside the stack's own, with its own disk, clock or servers."""

import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from signal import SIGTERM

from deploy.standalone.child import ROOT, answers_ok
from deploy.standalone.process import Process
from deploy.standalone.server import Server
from deploy.standalone.sockets import find_free_ports
from deploy.standalone.state import MARK

_STOP_S = 6.0


class SecondEdge(Server):
    """
    Everything that it stores is in *folder*, whose name is the edge's. *environment*: of an edge of the stack; what
    belongs to that one alone is replaced. ``url`` stays the same after `kill` and `start`.
    """

    name = "edge"
    asking = ((SIGTERM, _STOP_S),)

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        super().__init__(folder)
        self._port, self._internal_port = find_free_ports(2)
        self.url = f"http://127.0.0.1:{self._port}"
        self.point_to(environment)

    def point_to(self, environment: Mapping[str, str]) -> None:
        """It uses the servers of that edge from its next start on."""
        kept = {name: value for name, value in environment.items() if name != MARK}
        self.environment = {
            **kept,
            "PLACARD_STATE": str(self.folder),
            "PLACARD_SPOOL_DIR": str(self.folder / "spool"),
            "PLACARD_SNAPSHOT_DIR": str(self.folder / "snapshot"),
            "PLACARD_EDGE_NAME": self.folder.name,
            "PLACARD_EDGE_PORT": str(self._port),
            "PLACARD_EDGE_URL": self.url,
            "PLACARD_INTERNAL_PORT": str(self._internal_port),
        }

    def start(self) -> None:
        self._make_folder()
        process = Process.start(
            [sys.executable, "-m", "edge"],
            output=self.log,
            environment=self.environment,
            folder=ROOT,
        )
        self._await(process, self._is_up)

    def wipe(self) -> None:
        """Loses the disk of a killed edge."""
        shutil.rmtree(self.folder)

    def _is_up(self) -> bool:
        return answers_ok(f"{self.url}/readyz")
