"""How a worker's context is opened and closed: the seam between the app and its wiring."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

from edge.context import EdgeContext

Lifetime = Callable[[], AbstractAsyncContextManager[EdgeContext]]
"""Entered before the first request is taken, left after the last was answered."""
