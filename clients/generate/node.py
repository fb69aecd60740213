"""The Node library: interfaces, and a class of operations for each resource."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from clients.generate.description import Description, Field, Operation, Type, Union
from clients.generate.files import NOTICE, SINGULAR, camel, pascal, wrapped

_SOURCE: Final = Path("clients", "node", "src")
_SCALARS: Final = {
    "string": "string",
    "integer": "number",
    "number": "number",
    "boolean": "boolean",
    "any": "unknown",
}


def files(description: Description, _root: Path) -> Iterator[tuple[Path, str]]:
    yield _SOURCE / "types.ts", "\n".join(_types(description)) + "\n"
    yield _SOURCE / "operations.ts", "\n".join(_operations(description)) + "\n"


def _types(description: Description) -> Iterator[str]:
    yield f"// {NOTICE}"
    yield "/** The models of the API, as JSON has them. Responses can have fields and values that are not listed. */"
    yield ""
    yield "/** One of the listed values, or one that was added since. */"
    yield "export type Open<T extends string> = T | (string & {});"
    for enum in description.enums:
        values = "".join(f'\n  | "{value}"' for value in enum.values)
        yield f"\nexport type {enum.name} ={values};"
    for model in description.models:
        yield ""
        yield from _comment(model.description, "")
        if isinstance(model, Union):
            yield f"export type {model.name} = {' | '.join(model.members)};"
            continue
        yield f"export interface {model.name} {{"
        for field in model.fields:
            yield from _comment(field.description, "  ")
            mark = "" if field.required else "?"
            yield f"  {field.name}{mark}: {_type(field.type, sent=model.sent)};"
        yield "}"


def _comment(text: str, indent: str) -> Iterator[str]:
    lines = list(wrapped(text.replace("*/", "* /"), 116, f"{indent} * "))
    if len(lines) == 1:
        yield f"{indent}/** {lines[0].removeprefix(f'{indent} * ')} */"
    elif lines:
        yield f"{indent}/**"
        yield from lines
        yield f"{indent} */"


def _type(each: Type, *, sent: bool, prefix: str = "") -> str:
    inner = [_type(part, sent=sent, prefix=prefix) for part in each.parts]
    match each.kind:
        case "model":
            found = prefix + each.name
        case "enum":
            found = prefix + each.name if sent else f"{prefix}Open<{prefix}{each.name}>"
        case "list":
            found = f"readonly ({inner[0]})[]" if "|" in inner[0] else f"readonly {inner[0]}[]"
        case "map":
            found = f"Readonly<Record<string, {inner[0]}>>"
        case "const":
            found = f'"{each.name}"'
        case "union":
            found = " | ".join(inner)
        case _:
            found = _SCALARS[each.kind]
    return f"{found} | null" if each.nullable else found


def _operations(description: Description) -> Iterator[str]:
    yield f"// {NOTICE}"
    yield "/** The operations of the API that are one request each. */"
    yield ""
    yield 'import type { Transport } from "./transport.js";'
    yield 'import type * as types from "./types.js";'
    yield ""
    yield "/** Options of a call that creates. Without a key, the library makes one, the same for all attempts. */"
    yield "export interface Creation {"
    yield "  idempotencyKey?: string;"
    yield "}"
    for resource, operations in description.resources.items():
        yield from _class(f"{pascal(resource)}Operations", resource, operations)
    yield from _class("EdgeOperations", "", description.edge)
    yield ""
    yield "export class ManagementOperations {"
    resources = [one for one in description.resources if one != "events"]
    yield from (f"  readonly {camel(one)}: {pascal(one)}Operations;" for one in resources)
    yield ""
    yield "  constructor(transport: Transport) {"
    yield from (
        f"    this.{camel(one)} = new {pascal(one)}Operations(transport);" for one in resources
    )
    yield "  }"
    yield "}"


def _class(name: str, resource: str, operations: tuple[Operation, ...]) -> Iterator[str]:
    for operation in operations:
        if operation.query:
            yield ""
            yield f"export interface {_query_name(name, operation)} {{"
            yield from _query_fields(operation.query)
            yield "}"
    yield ""
    yield f"export class {name} {{"
    yield "  protected readonly transport: Transport;"
    yield ""
    yield "  constructor(transport: Transport) {"
    yield "    this.transport = transport;"
    yield "  }"
    for operation in operations:
        yield ""
        if operation.item is not None:
            yield from _pages(name, operation)
            yield ""
        yield from _method(name, operation, resource)
    yield "}"


def _query_name(name: str, operation: Operation) -> str:
    return name.removesuffix("Operations") + pascal(operation.name) + "Query"


def _query_fields(fields: tuple[Field, ...]) -> Iterator[str]:
    for field in fields:
        yield from _comment(field.description, "  ")
        mark = "" if field.required else "?"
        yield f"  {field.name}{mark}: {_type(field.type, sent=True, prefix='types.')};"


def _pages(name: str, operation: Operation) -> Iterator[str]:
    query = _query_name(name, operation)
    yield f"  /** {operation.summary}: the items of all pages, each page requested when it is needed. */"
    items = f"AsyncGenerator<types.{operation.item}, void, undefined>"
    yield f"  {camel(operation.name)}(query: {query} = {{}}): {items} {{"
    yield f'    return this.transport.items("{operation.path}", query);'
    yield "  }"


def _method(name: str, operation: Operation, resource: str) -> Iterator[str]:
    method = camel(operation.name if operation.item is None else f"{operation.name}_page")
    id_name = camel(f"{SINGULAR.get(resource, '')}_id") if operation.id_name else ""
    result = "void" if operation.result is None else f"types.{operation.result}"
    arguments = [f"{id_name}: string"] if id_name else []
    if operation.body:
        arguments.append(f"body: types.{operation.body}")
    if operation.version == "required":
        arguments.append("version: number")
    if operation.query:
        default = "" if any(one.required for one in operation.query) else " = {}"
        arguments.append(f"query: {_query_name(name, operation)}{default}")
    if operation.idempotent:
        arguments.append("options: Creation = {}")
    if operation.version == "optional":  # last: calls without it stay as they were
        arguments.append("version?: number")
    yield f"  /** {operation.summary}{': one page' if operation.item else ''}. */"
    yield f"  {method}({', '.join(arguments)}): Promise<{result}> {{"
    path = operation.path.replace("{id}", "${encodeURIComponent(" + id_name + ")}")
    parts = [f'method: "{operation.method}"', "path: " + (f"`{path}`" if id_name else f'"{path}"')]
    parts += ["query"] if operation.query else []
    parts += ["body"] if operation.body else []
    parts += ["version"] if operation.version else []
    parts += ["creation: options"] if operation.idempotent else []
    parts += ["repeatable: true"] if operation.repeatable else []
    yield f"    return this.transport.request({{ {', '.join(parts)} }});"
    yield "  }"
