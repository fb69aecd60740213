import io
import logging
from collections.abc import Iterator

import pytest
import structlog

from common.service.logging import configure_logging


@pytest.fixture
def written() -> Iterator[io.StringIO]:
    """What is logged meanwhile, as the programs log; the loggers are as they were afterwards."""
    root = logging.getLogger()
    handlers, level, configured = root.handlers, root.level, structlog.get_config()
    stream = io.StringIO()
    configure_logging(stream=stream)
    yield stream
    root.handlers, root.level = handlers, level
    structlog.configure(**configured)
