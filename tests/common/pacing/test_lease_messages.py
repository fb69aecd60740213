"""Reports are read as they were written, and refused where they are anything else."""

import pytest

from common.pacing.lease_messages import (
    LeaseMessageInvalid,
    Report,
    ReportLine,
    encode_report,
    parse_report,
)

LINES = (ReportLine("a", 0, 5, is_request=True), ReportLine("b", 2**61, 0, is_request=False))


@pytest.mark.parametrize("has_ended", [False, True])
@pytest.mark.parametrize("lines", [(), LINES])
def test_a_report_is_decoded_as_it_was_encoded(
    lines: tuple[ReportLine, ...],
    has_ended: bool,  # noqa: FBT001 - a column of the table
) -> None:
    report = Report(3, 2, 1, lines, has_ended=has_ended)
    assert parse_report(encode_report(report)) == report


@pytest.mark.parametrize(
    "lines",
    [
        b'[["a",0,5]]',
        b'[["a",0,5,true],["b",0,5,true,1]]',
        b'[["a",0,5,true],{"b":0}]',
        b'[["a",0,5,true],["b",0,5,1]]',
        b'[["a",0,5,true],["b",0,5.0,true]]',
        b'[["a",0,5,true],["b",0,-1,true]]',
        b'[["a",0,5,true],["b",4611686018427387904,0,true]]',
        b'{"a":1}',
    ],
)
def test_lines_of_another_shape_are_refused(lines: bytes) -> None:
    with pytest.raises(LeaseMessageInvalid):
        parse_report(b"[1,1,0,0," + lines + b"]")
