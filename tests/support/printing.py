"""Figures a person compares with a bar, printed by a test whose outcome does not depend on them."""

import sys

import pytest


def say(capsys: pytest.CaptureFixture[str], line: str) -> None:
    """Shown also where the test passes."""
    with capsys.disabled():
        sys.stdout.write(f"\n{line}\n")
