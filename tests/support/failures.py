"""A test that fails does not let others fail.

Its traceback keeps what it had not closed. A later test, or pytest itself while it prints the failure, would collect
these objects and meet their `ResourceWarning`s, which are errors here.
"""

import ast
import gc
import sys
import warnings
from collections.abc import Generator
from contextlib import contextmanager
from functools import wraps
from typing import Any

import pytest


@contextmanager
def _without_collections() -> Generator[None, None, None]:
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


_parse = ast.parse


@wraps(_parse)
def _parse_without_collections(*args: Any, **kwargs: Any) -> Any:
    """Parse, and run no destructor meanwhile.

    Its traceback would be parsed too. CPython 3.11 counts the depth of both in one place: a `SystemError` would end the
    test process.
    """
    with _without_collections():
        return _parse(*args, **kwargs)


def pytest_configure() -> None:
    vars(ast)["parse"] = _parse_without_collections


def _release_failure() -> None:
    """Drop the traceback that pytest keeps for debuggers, and what it alone held."""
    for name in ("last_type", "last_value", "last_traceback"):
        if hasattr(sys, name):
            delattr(sys, name)
    hook = sys.unraisablehook
    sys.unraisablehook = lambda _: None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)
            gc.collect()
    finally:
        sys.unraisablehook = hook


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    failed = item.session.testsfailed
    result = yield
    if item.session.testsfailed > failed:
        _release_failure()
    return result
