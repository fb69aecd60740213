"""The models that follow from a resource's create model."""

from typing import Annotated

import pytest
from pydantic import Field, ValidationError

from common.contract.models import WireIn, WireOut
from control.foundation.resource_models import (
    created_example,
    defaults_of,
    from_row,
    patch_model_of,
)
from control.foundation.wire_types import given, unchanged


class _Limits(WireIn):
    total: int = 5
    daily: int | None = None


@patch_model_of(_Limits)
class _LimitsPatch(WireIn):
    pass


class _Create(WireIn):
    key: str
    name: Annotated[str, Field(max_length=3)]
    note: str | None = Field(None, description="For people.")
    is_shared: bool = Field(default=False, strict=True)
    limits: _Limits = Field(default_factory=_Limits)


@patch_model_of(_Create, without=("key",))
class _Patch(WireIn):
    limits: _LimitsPatch = unchanged()
    status: str = unchanged()


class _Public(WireOut):
    key: str
    name: str
    note: str | None
    limits: dict[str, int | None]


class _Row:
    key, name, note = "a", "abc", None


def test_a_patch_has_the_fields_of_the_create_model_and_no_defaults() -> None:
    assert list(_Patch.model_fields) == ["name", "note", "is_shared", "limits", "status"]
    assert _Patch.__name__ == "_Patch"
    assert given(_Patch.model_validate({})) == {}
    assert given(_Patch.model_validate({"note": None})) == {"note": None}


def test_a_patch_keeps_types_bounds_and_descriptions() -> None:
    properties = _Patch.model_json_schema()["properties"]
    assert properties["name"] == {"maxLength": 3, "title": "Name", "type": "string"}
    assert properties["note"]["description"] == "For people."
    for field, value in (("name", None), ("is_shared", "true"), ("is_shared", 1)):
        with pytest.raises(ValidationError):
            _Patch.model_validate({field: value})


def test_a_patch_leaves_unsent_parts_of_a_merged_field_out() -> None:
    patch = _Patch.model_validate({"limits": {"daily": None}})
    assert given(patch.limits) == {"daily": None}


@pytest.mark.parametrize("field", ["key", "unknown"])
def test_a_patch_refuses_what_never_changes(field: str) -> None:
    with pytest.raises(ValidationError):
        _Patch.model_validate({field: "x"})


def test_a_response_takes_what_is_not_computed_from_the_row() -> None:
    shown = from_row(_Public, _Row(), limits={"total": 1})
    assert shown.model_dump() == {"key": "a", "name": "abc", "note": None, "limits": {"total": 1}}
    with pytest.raises(AttributeError, match="limits"):
        from_row(_Public, _Row())


def test_an_example_fills_in_the_defaults_of_what_is_not_sent() -> None:
    example = created_example(_Public, _Create, {"key": "a", "name": "b"}, limits={})
    assert example == {"key": "a", "name": "b", "note": None, "limits": {}}
    assert defaults_of(_Create) == {
        "key": None,
        "name": None,
        "note": None,
        "is_shared": False,
        "limits": {"total": 5, "daily": None},
    }
