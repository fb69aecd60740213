"""`clients/node`: what every library for servers must do."""

import pytest

from tests.clients.library_driver import Library
from tests.clients.server_suite import ServerLibrarySuite


@pytest.mark.toolchains
class TestNode(ServerLibrarySuite):
    library = Library("node", ("node", "tests/driver.js"), {})
