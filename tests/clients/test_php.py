"""`clients/php`: what every library for servers must do."""

import pytest

from tests.clients.library_driver import Library
from tests.clients.server_suite import ServerLibrarySuite

PHP = {"php": "php-cli", "phpunit": "phpunit php-curl"}


@pytest.mark.toolchains
class TestPhp(ServerLibrarySuite):
    library = Library("php", ("php", "-d", "display_errors=stderr", "tests/driver.php"), {}, PHP)
