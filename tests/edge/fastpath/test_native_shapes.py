"""What Python passes to the native cache is checked when it arrives; the source stores nothing and checks nothing."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import pytest

from common.service.compiled import is_compiled
from common.tracking.token_hmac import prepare_key
from edge.fastpath.serve_cache import native_cache
from edge.fastpath.serve_cache.native_cache import NativeAd, NativeKey, NativeSlotSegment

_ROW = ("property", "slot", "campaign", "ad", "web", "banner")


def raises_if_compiled(error: type[Exception]) -> AbstractContextManager[object]:
    return pytest.raises(error) if is_compiled(native_cache) else nullcontext()


def a_segment() -> NativeSlotSegment:
    return NativeSlotSegment(1, 0, 1 << 62, 0, 0, [0], [()])


def an_ad(row: Any = _ROW, parts: Any = (b"HTTP/1.1 200 OK", 0)) -> NativeAd:
    return NativeAd(object(), "campaign", 7, row, parts)


@pytest.mark.parametrize(
    "make",
    [
        lambda: an_ad(row=_ROW[:5]),
        lambda: an_ad(row=(*_ROW[:5], None)),
        lambda: an_ad(row=list(_ROW)),
        lambda: an_ad(parts=["text"]),
        lambda: an_ad(parts=("text",)),
        lambda: NativeKey(0, "property", "key", ["bucket"], 1, 1),  # type: ignore[arg-type]
        lambda: NativeKey(0, None, "key", ("bucket",), 1, 1),  # type: ignore[arg-type]
        lambda: a_segment().put_run(0, [(1,)], True, None),  # type: ignore[list-item]  # noqa: FBT003 - as the C takes it
        lambda: a_segment().put_run(0, [(1, 2, 3)], True, None),  # type: ignore[list-item]  # noqa: FBT003 - as above
        lambda: a_segment().put_run(0, [[1, 2]], True, None),  # type: ignore[list-item]  # noqa: FBT003 - as above
        lambda: a_segment().put_run(0, [(1, "2")], True, None),  # type: ignore[list-item]  # noqa: FBT003 - as above
    ],
)
def test_a_wrong_type_is_a_type_error(make: Callable[[], object]) -> None:
    with raises_if_compiled(TypeError):
        make()


@pytest.mark.parametrize(
    "make",
    [
        lambda: an_ad(parts=(6,)),
        lambda: an_ad(parts=(-1,)),
        lambda: an_ad().update(1, False, False, False, 0, -1, prepare_key(b""), bytes(131)),  # noqa: FBT003 - as the C takes it
        lambda: an_ad().update(1, False, False, False, 0, -1, object(), bytes(132)),  # noqa: FBT003 - as above
        lambda: a_segment().put_ad(0, an_ad(), 0, 1 << 32, 0),
        lambda: a_segment().put_next(a_segment()),
    ],
)
def test_a_wrong_value_is_a_value_error(make: Callable[[], object]) -> None:
    with raises_if_compiled(ValueError):
        make()
