"""`clients/php`: what every library for servers must do."""

import pytest

from tests.clients.library_driver import PHP, Library
from tests.clients.server_suite import ServerLibrarySuite


@pytest.mark.toolchains
class TestPhp(ServerLibrarySuite):
    library = Library("php", ("php", "-d", "display_errors=stderr", "tests/driver.php"), {}, PHP)
