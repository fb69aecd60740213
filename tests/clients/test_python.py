"""`clients/python`: what every library for servers must do."""

import sys

from tests.clients.library_driver import Library
from tests.clients.server_suite import ServerLibrarySuite


class TestPython(ServerLibrarySuite):
    library = Library("python", (sys.executable, "tests/driver.py"), {"PYTHONPATH": "."})
