"""Objects of a job that fail."""

import pytest
from structlog.testing import capture_logs

from control.api.job_items import FailedItems


def test_failed_objects_keep_no_other_from_being_processed_and_do_not_fill_the_log() -> None:
    failed, processed = FailedItems(), list[int]()
    with capture_logs() as logs:
        for number in range(60):
            with failed.catching(str(number)):
                if number % 2:
                    raise KeyError("one") if number > 50 else ValueError("other")
                processed.append(number)
        with pytest.raises(ValueError, match="other"):
            failed.raise_first()
    assert processed == list(range(0, 60, 2))
    assert failed.ids == [str(number) for number in range(1, 60, 2)]
    lines = [line for line in logs if line["event"] == "job_item_failed"]
    assert [line["item"] for line in lines] == [str(n) for n in range(1, 41, 2)] + ["51"]
    assert [line["item"] for line in lines if line["exc_info"]] == ["1", "51"]
    assert logs[-1] == {"event": "job_items_failed", "log_level": "error", "count": 30}
