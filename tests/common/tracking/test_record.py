"""Records as spool and log carry them: what was written before is still read."""

import orjson

from common.tracking.event import CounterRecord, LogRecord
from common.tracking.record import encode_record, parse_record
from tests.support.records import a_writer, an_event


def test_an_event_without_country_device_and_person_is_read() -> None:
    record = LogRecord(a_writer(), 1, b"key", an_event())
    values = orjson.loads(encode_record(record))
    for name in ("country", "device", "person", "live_reason"):
        del values["body"][name]
    del values["body"]["facts"]["user_agent_pattern"]
    assert parse_record(orjson.dumps(values)) == record


def test_a_counter_written_with_narrow_rows_is_read() -> None:
    rows = (("p", "s", None, None, "below_floor", None, None, None, None, 3),)
    record = LogRecord(a_writer(), 1, b"key", CounterRecord(5, 5, is_test=True, rows=rows))
    values = orjson.loads(encode_record(record))
    values["body"]["rows"] = [["p", "s", None, None, "below_floor", 3]]
    assert parse_record(orjson.dumps(values)) == record


def test_only_the_event_of_a_held_token_has_a_field_that_older_releases_refuse() -> None:
    plain, held = (
        LogRecord(a_writer(), 1, b"key", an_event(held_until_day=day)) for day in (None, 20_850)
    )
    assert b"held_until_day" not in encode_record(plain)
    for record in (plain, held):
        assert parse_record(encode_record(record)) == record
