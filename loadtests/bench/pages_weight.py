"""The weight of what a browser loads for a page: the page itself, and the files of ours that it references."""

import gzip
import re

import httpx

_NAMED = re.compile(r'"(/static/[^"]+)"|from "\./([^"]+)"')


class Weights:
    """Requests each file once."""

    def __init__(self, http: httpx.Client) -> None:
        self._http = http
        self._known: dict[str, tuple[int, frozenset[str]]] = {}

    def kib_of(self, page: str) -> float:
        """The page and every file that it, or one of its scripts, references, each compressed with gzip."""
        waiting, files = list(_named(page)), set[str]()
        while waiting:
            path = waiting.pop()
            if path not in files:
                files.add(path)
                waiting += self._file(path)[1]
        whole = len(gzip.compress(page.encode())) + sum(self._file(path)[0] for path in files)
        return round(whole / 1024, 1)

    def _file(self, path: str) -> tuple[int, frozenset[str]]:
        """The weight of a file, and the files that it references."""
        if path not in self._known:
            found = self._http.get(path).raise_for_status()
            is_script = path.endswith(".js")
            names = _named(found.text) if is_script else frozenset[str]()
            self._known[path] = len(gzip.compress(found.content)), names
        return self._known[path]


def _named(text: str) -> frozenset[str]:
    return frozenset(absolute or f"/static/{beside}" for absolute, beside in _NAMED.findall(text))
