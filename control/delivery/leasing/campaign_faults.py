"""Faults that concern one campaign: they are logged, and hold up no other campaign."""

from collections.abc import Iterator
from contextlib import contextmanager

import structlog

from common.values.errors import UNFORESEEN

_log: structlog.stdlib.BoundLogger = structlog.get_logger("pace")


@contextmanager
def logging_faults(campaign_id: str) -> Iterator[None]:
    """Ends the block where code did not foresee the campaign."""
    try:
        yield
    except UNFORESEEN:
        _log.exception("campaign_not_paced", campaign=campaign_id)
