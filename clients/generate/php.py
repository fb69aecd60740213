"""The PHP library: array shapes, and a class of operations for each resource."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from clients.generate.description import Description, Field, Model, Operation, Type, Union
from clients.generate.files import NOTICE, SINGULAR, camel, pascal, wrapped

_SOURCE: Final = Path("clients", "php", "src")
_HEAD: Final = f"<?php\n\n// {NOTICE}\n\ndeclare(strict_types=1);\n\nnamespace Placard{{}};\n"
_VALUES: Final = _HEAD.format("\\Values")
_SCALARS: Final = {
    "string": "string",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "any": "mixed",
}


def files(description: Description, _root: Path) -> Iterator[tuple[Path, str]]:
    yield _SOURCE / "Types.php", "\n".join(_types(description)) + "\n"
    for enum in description.enums:
        lines = [f"    public const {_constant(one)} = '{one}';" for one in enum.values]
        text = (
            f"{_VALUES}\n/** These values of {enum.name}; others are added over time. */\n"
            f"final class {enum.name}\n{{\n" + "\n".join(lines) + "\n}\n"
        )
        yield _SOURCE / "Values" / f"{enum.name}.php", text
    services = {**description.resources, "edge": description.edge}
    for resource, operations in services.items():
        name = f"{pascal(resource)}Operations"
        text = "\n".join(_class(name, "" if resource == "edge" else resource, operations)) + "\n"
        yield _SOURCE / "Operations" / f"{name}.php", text
    resources = [one for one in description.resources if one != "events"]
    yield (
        _SOURCE / "Operations" / "ManagementOperations.php",
        "\n".join(_management(resources)) + "\n",
    )


def _constant(value: str) -> str:
    name = value.removeprefix("-").replace(":", "_").replace(".", "_").replace("-", "_").upper()
    return f"{name}_DESCENDING" if value.startswith("-") else name


def _types(description: Description) -> Iterator[str]:
    yield _HEAD.format("")
    yield "/**"
    yield " * The models of the API as array shapes, for editors and analysers:"
    yield " * `@phpstan-import-type Campaign from Types`. Responses can have fields and values that are not listed."
    yield " *"
    for enum in description.enums:
        values = "|".join(f"'{value}'" for value in enum.values)
        yield f" * @phpstan-type {enum.name} {values}"
    for model in description.models:
        if isinstance(model, Union):
            yield f" * @phpstan-type {model.name} {'|'.join(model.members)}"
            continue
        fields = ", ".join(_field(field, model) for field in model.fields)
        yield f" * @phpstan-type {model.name} array{{{fields}}}"
    yield " */"
    yield "final class Types\n{"
    objects, maps = _names_of_objects(description)
    yield from _constant_list(
        "OBJECTS", "Fields of requests that are JSON objects, also when they are empty.", objects
    )
    yield ""
    yield from _constant_list("MAPS", "Fields of requests whose own keys are the caller's.", maps)
    yield "}"


def _names_of_objects(description: Description) -> tuple[list[str], list[str]]:
    """The names of sent fields that are objects in every model; those that are maps of plain values in some model."""
    objects, others, maps = set[str](), set[str](), set[str]()
    models = [one for one in description.models if isinstance(one, Model) and one.sent]
    for field in (field for model in models for field in model.fields):
        is_object = field.type.kind in ("map", "model")
        (objects if is_object else others).add(field.name)
        if field.type.kind == "map" and field.type.parts[0].kind != "any":
            maps.add(field.name)
    return sorted(objects - others), sorted(maps)


def _constant_list(name: str, text: str, values: list[str]) -> Iterator[str]:
    yield f"    /** @internal {text} */"
    yield f"    public const {name} = ["
    yield from wrapped(", ".join(f"'{value}'" for value in values) + ",", 110, "        ")
    yield "    ];"


def _field(field: Field, model: Model) -> str:
    mark = "" if field.required else "?"
    return f"{field.name}{mark}: {_type(field.type, sent=model.sent)}"


def _type(each: Type, *, sent: bool) -> str:
    inner = [_type(part, sent=sent) for part in each.parts]
    match each.kind:
        case "model":
            found = each.name
        case "enum":
            found = each.name if sent else "string"
        case "list":
            found = f"list<{inner[0]}>"
        case "map":
            found = f"array<string, {inner[0]}>"
        case "const":
            found = f"'{each.name}'"
        case "union":
            found = "|".join(inner)
        case _:
            found = _SCALARS[each.kind]
    return f"{found}|null" if each.nullable else found


def _class(name: str, resource: str, operations: tuple[Operation, ...]) -> Iterator[str]:
    used = sorted({one for each in operations for one in _used(each)})
    yield _HEAD.format("\\Operations")
    yield "use Placard\\Internal\\Call;\nuse Placard\\Internal\\Transport;\n\n/**"
    yield from (f" * @phpstan-import-type {one} from \\Placard\\Types" for one in used)
    yield " */"
    yield f"class {name}\n{{"
    yield "    public function __construct(protected readonly Transport $transport)\n    {\n    }"
    for operation in operations:
        if operation.item is not None:
            yield from _pages(operation)
        yield from _method(operation, resource)
    yield "}"


def _used(operation: Operation) -> Iterator[str]:
    yield from (one for one in (operation.body, operation.result, operation.item) if one)
    for field in operation.query:
        part = field.type.parts[0] if field.type.parts else field.type
        if part.kind in ("model", "enum"):
            yield part.name


def _query(operation: Operation) -> str:
    return (
        "array{"
        + ", ".join(
            f"{one.name}{'' if one.required else '?'}: {_type(one.type, sent=True)}"
            for one in operation.query
        )
        + "}"
    )


def _pages(operation: Operation) -> Iterator[str]:
    yield "\n    /**"
    yield f"     * {operation.summary}: the items of all pages, each page requested when it is needed."
    yield "     *"
    yield f"     * @param {_query(operation)} $query"
    yield f"     * @return \\Generator<int, {operation.item}>"
    yield "     */"
    yield f"    public function {camel(operation.name)}(array $query = []): \\Generator\n    {{"
    yield f"        return $this->transport->items('{operation.path}', $query);\n    }}"


def _method(operation: Operation, resource: str) -> Iterator[str]:
    name = camel(operation.name if operation.item is None else f"{operation.name}_page")
    id_name = camel(f"{SINGULAR.get(resource, '')}_id") if operation.id_name else ""
    arguments = [f"string ${id_name}"] if id_name else []
    documented: list[str] = []
    if operation.body:
        arguments.append("array $body")
        documented.append(f"@param {operation.body} $body")
    if operation.version == "required":
        arguments.append("int $version")
    if operation.query:
        required = any(one.required for one in operation.query)
        arguments.append("array $query" if required else "array $query = []")
        documented.append(f"@param {_query(operation)} $query")
    if operation.idempotent:
        arguments.append("?string $idempotencyKey = null")
    if operation.version == "optional":  # last: calls without it stay as they were
        arguments.append("?int $version = null")
    if operation.result:
        documented.append(f"@return {operation.result}")
    yield "\n    /**"
    yield from wrapped(
        f"{operation.summary}{': one page' if operation.item else ''}.", 116, "     * "
    )
    yield from (["     *"] if documented else [])
    yield from (f"     * {one}" for one in documented)
    yield "     */"
    result = "array" if operation.result else "void"
    yield f"    public function {name}({', '.join(arguments)}): {result}\n    {{"
    path = f"'{operation.path}'"
    if id_name:
        before, _, after = operation.path.partition("{id}")
        path = f"'{before}' . rawurlencode(${id_name})" + (f" . '{after}'" if after else "")
    parts = [f"'{operation.method}'", path]
    parts += ["query: $query"] if operation.query else []
    parts += ["body: $body"] if operation.body else []
    parts += ["version: $version"] if operation.version else []
    parts += ["creates: true", "idempotencyKey: $idempotencyKey"] if operation.idempotent else []
    parts += ["repeatable: true"] if operation.repeatable else []
    yield f"        {'return ' if operation.result else ''}$this->transport->request(new Call({', '.join(parts)}));"
    yield "    }"


def _management(resources: list[str]) -> Iterator[str]:
    yield _HEAD.format("\\Operations")
    yield "use Placard\\Internal\\Transport;\n\nclass ManagementOperations\n{"
    yield from (f"    public readonly {pascal(one)}Operations ${camel(one)};" for one in resources)
    yield "\n    public function __construct(Transport $transport)\n    {"
    yield from (
        f"        $this->{camel(one)} = new {pascal(one)}Operations($transport);"
        for one in resources
    )
    yield "    }\n}"
