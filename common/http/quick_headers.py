"""Header fields of a request that was taken apart without Sanic, as its own multidict answers for them."""

from collections.abc import Sequence


class QuickHeaders(dict[str, str]):
    """Names in lower case, each of them once."""

    __slots__ = ()

    def getall(self, name: str, default: Sequence[str], /) -> Sequence[str]:
        value = self.get(name)
        return default if value is None else (value,)
