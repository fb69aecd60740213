"""Type of the function that opens and closes a worker's context: the interface between the app and its wiring."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

from edge.context import EdgeContext

Lifetime = Callable[[], AbstractAsyncContextManager[EdgeContext]]
"""Entered before the first request is accepted, left after the last response."""
