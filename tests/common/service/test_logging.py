import io
import logging

import orjson
import pytest
import structlog

from common.service.logging import redacted_text
from common.values.environment import Environment
from common.values.keys import KeyKind, new_key

TOKEN = "a" * 176 + "." + "b" * 28


@pytest.mark.parametrize("kind", KeyKind)
def test_a_key_is_cut_to_prefix_and_last_four(kind: KeyKind) -> None:
    text = new_key(kind, Environment.LIVE).text
    shown = redacted_text(f"refused {text} today")
    assert shown == f"refused {text[:8]}…{text[-4:]} today"


def test_query_strings_are_dropped() -> None:
    assert redacted_text("GET /v1/serve?key=x&uid=me failed") == "GET /v1/serve?… failed"


@pytest.mark.parametrize("secret", [TOKEN, "cs_abcdefghijklmnop", "at_0123456789abcdef"])
def test_tokens_and_secrets_are_removed(secret: str) -> None:
    assert secret not in redacted_text(f"saw {secret}")


def test_every_line_is_json_with_level_and_time(written: io.StringIO) -> None:
    structlog.get_logger("here").info("adopted", version=3)
    line = orjson.loads(written.getvalue())
    assert (line["event"], line["version"], line["level"]) == ("adopted", 3, "info")
    assert line["timestamp"].endswith("Z")


def test_fields_named_as_secrets_are_not_written(written: io.StringIO) -> None:
    structlog.get_logger("here").warning("seen", token="anything", nested={"a": TOKEN})
    assert "anything" not in written.getvalue()
    assert TOKEN not in written.getvalue()


def test_lines_of_other_libraries_are_redacted_too(written: io.StringIO) -> None:
    logging.getLogger("sanic.error").error("Exception for %s", "/v1/embed?cs=cs_12345678abcdef")
    assert "cs_1234" not in written.getvalue()
    assert orjson.loads(written.getvalue())["level"] == "error"


def test_a_trace_is_redacted(written: io.StringIO) -> None:
    try:
        int(f"bad token {TOKEN}")
    except ValueError:
        structlog.get_logger("here").exception("failed")
    assert "ValueError" in written.getvalue()
    assert TOKEN not in written.getvalue()
