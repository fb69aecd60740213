"""Settings that contradict each other are refused at the start."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from common.service.settings import explain_invalid
from control.foundation.settings import ControlSettings

_NEEDED = {
    "database_url": "postgresql://localhost/placard",
    "redis_url": "redis://localhost/0",
    "key_file": "keys.json",
    "edge_live_url": "http://localhost:8080",
    "edge_test_url": "http://localhost:8081",
}


@pytest.mark.parametrize("url", ["http://127.0.0.1:8000", "http://[::1]:8000", "http://localhost"])
def test_a_sample_account_is_possible_on_the_machine_itself(url: str) -> None:
    settings = ControlSettings.model_validate(
        {**_NEEDED, "control_url": url, "sample_file": "sample.json"}
    )

    assert settings.sample_file == Path("sample.json")


@pytest.mark.parametrize(
    "url", ["https://ads.example", "http://10.0.0.7:8000", "http://localhost.example", "nonsense"]
)
def test_a_sample_account_is_refused_where_others_may_reach_it(url: str) -> None:
    with pytest.raises(ValidationError, match="needs a loopback address"):
        ControlSettings.model_validate(
            {**_NEEDED, "control_url": url, "sample_file": "sample.json"}
        )


def test_only_the_missing_setting_is_named_and_not_what_is_derived_of_it() -> None:
    with pytest.raises(ValidationError) as caught:
        ControlSettings.model_validate(
            {name: value for name, value in _NEEDED.items() if name != "edge_live_url"}
            | {"control_url": "http://localhost:8000"}
        )

    text = explain_invalid(caught.value, ControlSettings)
    assert text == "PLACARD_EDGE_LIVE_URL: Field required. (Public URL of the live edge.)"
