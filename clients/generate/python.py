"""The Python library: `TypedDict`s, asynchronous operations, and the blocking twin of each asynchronous module."""

import keyword
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from clients.generate.description import Description, Field, Model, Operation, Type, Union
from clients.generate.files import NOTICE, SINGULAR, one_line, pascal, ruff, wrapped

_LIBRARY: Final = Path("clients", "python", "placard")
_SCALARS: Final = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "any": "Any",
}
_BLOCKING: Final = (
    (r"\bplacard\.asynchronous\b", "placard.synchronous"),
    (r"Callable\[\[float\], Awaitable\[None\]\]", "Callable[[float], None]"),
    (r"\bAsyncIterator\b", "Iterator"),
    (r"\bAwaitable, ", ""),
    (r"\bimport asyncio\n", ""),
    (r"\basyncio\.sleep\b", "time.sleep"),
    (r"\basync_sleep\b", "blocking_sleep"),
    (r"\basync (def|for|with)\b", r"\1"),
    (r"\bawait ", ""),
    (r"\b__a(enter|exit)__\b", r"__\1__"),
    (r"\baclose\b", "close"),
    (r"\bhttpx\.AsyncClient\b", "httpx.Client"),
    (r"\bAsync([A-Z])", r"\1"),
    (r"``async with``", "``with``"),
)
_OWN_PACKAGE_TEXT: Final = (
    f'# {NOTICE}\n"""Blocking clients."""\n'  # the asynchronous one describes how this one is made
)


def files(description: Description, root: Path) -> Iterator[tuple[Path, str]]:
    yield _LIBRARY / "types.py", ruff("\n".join(_types(description)) + "\n")
    operations = ruff("\n".join(_operations(description)) + "\n")
    yield _LIBRARY / "asynchronous" / "operations.py", operations
    sources = {"operations.py": operations} | {
        path.name: path.read_text()
        for path in sorted((root / _LIBRARY / "asynchronous").glob("*.py"))
        if path.name != "operations.py"
    }
    for name, text in sources.items():
        made = _OWN_PACKAGE_TEXT if name == "__init__.py" else ruff(_blocking(text))
        yield _LIBRARY / "synchronous" / name, made


def _blocking(text: str) -> str:
    for pattern, replacement in _BLOCKING:
        text = re.sub(pattern, replacement, text)
    notice = f"# {NOTICE}\n"
    return text if text.startswith(notice) else notice + text


def _types(description: Description) -> Iterator[str]:
    yield f"# {NOTICE}"
    yield '"""The models of the API, as JSON has them. Responses can have fields and values that are not listed."""'
    yield "from __future__ import annotations"
    yield "from collections.abc import Sequence"
    yield "from typing import Any, Literal, NotRequired, TypeAlias, TypedDict"
    for enum in description.enums:
        values = ", ".join(f'"{value}"' for value in enum.values)
        yield f"{enum.name}: TypeAlias = Literal[{values}]"
    for model in description.models:
        if isinstance(model, Model):
            yield from _model(model)
    for model in description.models:
        if isinstance(model, Union):
            yield f"{model.name}: TypeAlias = {' | '.join(model.members)}"
            yield f'"""{model.description or f"One of them, by `{model.tag}`."}"""'


def _model(model: Model) -> Iterator[str]:
    if any(keyword.iskeyword(field.name) for field in model.fields):
        yield f"{model.name} = TypedDict({model.name!r}, {{"
        yield from (
            f"{field.name!r}: {_field_type(field, sent=model.sent)!r}," for field in model.fields
        )
        yield "})"
        if model.description:
            yield f'"""{one_line(model.description)}"""'
        return
    yield f"class {model.name}(TypedDict):"
    if model.description:
        yield '    """'
        yield from wrapped(_escaped(model.description), 100, "    ")
        yield '    """'
    for field in model.fields:
        yield f"    {field.name}: {_field_type(field, sent=model.sent)}"
        if field.description:
            yield '    """'
            yield from wrapped(_escaped(field.description), 100, "    ")
            yield '    """'
    if not model.fields:
        yield "    pass"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"""', "'''")


def _field_type(field: Field, *, sent: bool) -> str:
    found = _type(field.type, sent=sent)
    return found if field.required else f"NotRequired[{found}]"


def _type(each: Type, *, sent: bool, prefix: str = "") -> str:
    inner = [_type(part, sent=sent, prefix=prefix) for part in each.parts]
    match each.kind:
        case "model":
            found = prefix + each.name
        case "enum":
            found = prefix + each.name if sent else f"{prefix}{each.name} | str"
        case "list":
            found = f"Sequence[{inner[0]}]"
        case "map":
            found = f"dict[str, {inner[0]}]"
        case "const":
            found = f'Literal["{each.name}"]'
        case "union":
            found = " | ".join(inner)
        case _:
            found = _SCALARS[each.kind]
    return f"{found} | None" if each.nullable else found


def _operations(description: Description) -> Iterator[str]:
    yield f"# {NOTICE}"
    yield '"""The operations of the API that are one request each."""'
    yield "from collections.abc import AsyncIterator, Sequence"
    yield "from typing import Literal"
    yield "from urllib.parse import quote"
    yield "from placard import types"
    yield "from placard.asynchronous.transport import AsyncTransport"
    yield "from placard.calls import Call, idempotency_headers, if_match"
    yield "from placard.requests import query_pairs"
    for resource, operations in description.resources.items():
        yield from _class(f"Async{pascal(resource)}Operations", resource, operations)
    yield from _class("AsyncEdgeOperations", "", description.edge)
    yield "class AsyncManagementOperations:"
    yield "    def __init__(self, transport: AsyncTransport) -> None:"
    for resource in description.resources:
        if resource != "events":
            yield f"        self.{resource} = Async{pascal(resource)}Operations(transport)"


def _class(name: str, resource: str, operations: tuple[Operation, ...]) -> Iterator[str]:
    yield f"class {name}:"
    yield "    def __init__(self, transport: AsyncTransport) -> None:"
    yield "        self._transport = transport"
    for operation in operations:
        if operation.item is not None:
            yield from _pages(operation)
        yield from _method(operation, resource)


def _pages(operation: Operation) -> Iterator[str]:
    yield f"    def {operation.name}(self{_arguments(operation, '')}) -> AsyncIterator[types.{operation.item}]:"
    yield f'        """{operation.summary}: the items of all pages, each page requested when it is needed."""'
    yield f'        return self._transport.items("{operation.path}", {_query(operation)})'


def _method(operation: Operation, resource: str) -> Iterator[str]:
    name = operation.name if operation.item is None else f"{operation.name}_page"
    id_name = f"{SINGULAR.get(resource, '')}_id" if operation.id_name else ""
    result = "None" if operation.result is None else f"types.{operation.result}"
    yield f"    async def {name}(self{_arguments(operation, id_name)}) -> {result}:"
    yield f'        """{operation.summary}{": one page" if operation.item else ""}."""'
    path = operation.path.replace("{id}", "{quote(" + id_name + ", safe='')}")
    parts = [f'"{operation.method}"', f'{"f" if id_name else ""}"{path}"']
    if operation.query:
        parts.append(f"query_pairs({_query(operation)})")
    if operation.body:
        parts.append("body={**body}")
    headers = [
        *(["idempotency_headers(idempotency_key)"] if operation.idempotent else []),
        *(["if_match(version)"] if operation.version else []),
    ]
    if headers:
        parts.append(f"headers={' | '.join(headers)}")
    if operation.repeatable:
        parts.append("repeatable=True")
    call = f"await self._transport.request(Call({', '.join(parts)}))"
    if operation.result is None:
        yield f"        {call}"
    else:
        yield f"        found: {result} = {call}"
        yield "        return found"


def _arguments(operation: Operation, id_name: str) -> str:
    own = [f"{id_name}: str"] if id_name else []
    if operation.body:
        own.append(f"body: types.{operation.body}")
    named = [
        f"{_argument(field)}: {_input(field)}"
        for field in sorted(operation.query, key=lambda one: not one.required)
    ]
    if operation.version:
        named.append(
            "version: int" if operation.version == "required" else "version: int | None = None"
        )
    if operation.idempotent:
        named.append("idempotency_key: str | None = None")
    return "".join(f", {one}" for one in [*own, *(["*", *named] if named else [])])


def _input(field: Field) -> str:
    found = _type(field.type, sent=True, prefix="types.")
    return found if field.required else f"{found} | None = None"


def _argument(field: Field) -> str:
    return f"{field.name}_" if keyword.iskeyword(field.name) else field.name


def _query(operation: Operation) -> str:
    return "{" + ", ".join(f'"{one.name}": {_argument(one)}' for one in operation.query) + "}"
