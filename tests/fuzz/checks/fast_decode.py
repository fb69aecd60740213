"""Any JSON is decoded by the extension as by its specification. The first byte of an input chooses the type."""

from typing import Any, Final

import orjson

from common.snapshot.codec import plan_of_type
from common.snapshot.model import ObjectType
from tests.support.source import source_of

_specification = source_of("common.snapshot.fast_decode")
_TYPES: Final = tuple(ObjectType)


def check(extension: Any, data: bytes) -> None:
    try:
        values = orjson.loads(data[1:])
    except orjson.JSONDecodeError:
        return
    plan = plan_of_type(_TYPES[data[0] % len(_TYPES)])
    expected = _specification.decode_object(plan, values)
    assert repr(extension.decode_object(plan, values)) == repr(expected)
