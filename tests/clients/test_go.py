"""`clients/go`: what every library for servers must do."""

import pytest

from tests.clients.library_driver import Library
from tests.clients.server_suite import ServerLibrarySuite


@pytest.mark.toolchains
class TestGo(ServerLibrarySuite):
    library = Library(
        "go", ("go", "run", "./tests/driver"), {"CGO_ENABLED": "0"}, {"go": "golang-go"}
    )
