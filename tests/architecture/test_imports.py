"""Dependencies point one way: common ← edge, common ← control; adapters are named by wiring alone."""

import ast

import pytest

from tests.architecture.imports import ROOT, Import, imports_of, modules_of

_IO_PACKAGES = (
    "asyncio",
    "socket",
    "redis",
    "aiokafka",
    "asyncpg",
    "sqlalchemy",
    "sqlmodel",
    "alembic",
    "urllib.request",
)
_SQL_PACKAGES = ("asyncpg", "sqlalchemy", "sqlmodel", "alembic")
_COMMON_MAY_DO_IO = (
    ROOT / "common" / "fetching",
    ROOT / "common" / "http",
    ROOT / "common" / "service" / "background_tasks.py",
    ROOT / "common" / "service" / "child_process.py",
    ROOT / "common" / "service" / "cooperative.py",
    ROOT / "common" / "service" / "kafka_connection.py",
    ROOT / "common" / "service" / "kafka_tokens.py",
    ROOT / "common" / "service" / "otlp.py",
    ROOT / "common" / "service" / "redis_client.py",
    ROOT / "common" / "service" / "redis_cluster.py",
    ROOT / "common" / "service" / "settings.py",
    ROOT / "common" / "service" / "stacks.py",
)
"""
The guarded fetcher, the HTTP server of both planes, their background tasks and child processes, slices of their event
loops, stacks of their tasks, how both reach Kafka, Redis and a trace collector, and the one reader of the environment.
"""


def _within(target: str, packages: tuple[str, ...]) -> bool:
    return any(target == name or target.startswith(f"{name}.") for name in packages)


def _offences(found: list[Import]) -> list[str]:
    return [str(item) for item in found]


def test_common_imports_neither_plane() -> None:
    assert not _offences(
        [i for i in imports_of("common") if _within(i.target, ("edge", "control", "deploy"))]
    )


def test_common_does_no_io() -> None:
    found = [
        i
        for i in imports_of("common")
        if _within(i.target, _IO_PACKAGES)
        and not any(i.module == place or place in i.module.parents for place in _COMMON_MAY_DO_IO)
    ]

    assert not _offences(found)


def test_edge_imports_neither_control_nor_sql() -> None:
    forbidden = ("control", "deploy", *_SQL_PACKAGES)

    assert not _offences([i for i in imports_of("edge") if _within(i.target, forbidden)])


def test_control_never_imports_edge() -> None:
    assert not _offences(
        [i for i in imports_of("control") if _within(i.target, ("edge", "deploy"))]
    )


def _reading_tables(found: list[Import]) -> list[Import]:
    """
    Of *found*, those by which a page could read a table itself: SQL, and classes of rows, which nobody re-exports.

    Pages read by the API's operations and by the query modules of the packages that own the tables (ADR 32). A
    `queries.py` of a page states in its docstring why.
    """
    pages = ROOT / "control" / "dashboard"
    return [
        i
        for i in found
        if pages in i.module.parents
        and i.module.name != "queries.py"
        and _within(i.target, (*_SQL_PACKAGES, "control.storage"))
    ]


def test_pages_read_tables_by_query_modules_alone() -> None:
    assert not _offences(_reading_tables(list(imports_of("control"))))


@pytest.mark.parametrize(
    ("module", "target", "expected"),
    [
        ("dashboard/keys/screens.py", "sqlalchemy.text", 1),
        ("dashboard/keys/screens.py", "sqlmodel.select", 1),
        ("dashboard/page.py", "control.storage.tables.properties.KeyRow", 1),
        ("dashboard/keys/queries.py", "sqlalchemy.text", 0),
        ("dashboard/keys/screens.py", "control.inventory.api_keys.queries.count_calls", 0),
        ("inventory/api_keys/rules.py", "sqlalchemy.text", 0),
    ],
)
def test_a_page_that_could_read_a_table_is_found(module: str, target: str, expected: int) -> None:
    one = Import(ROOT / "control" / module, 1, target, at_load=True)

    assert len(_reading_tables([one])) == expected


def test_no_plane_imports_its_tests_or_load_tests() -> None:
    for plane in ("common", "edge", "control", "deploy"):
        assert not _offences(
            [i for i in imports_of(plane) if _within(i.target, ("tests", "loadtests"))]
        )


def _of_test_modules(found: list[Import]) -> list[Import]:
    return [
        i
        for i in found
        if _within(i.target, ("tests",))
        and any(part.startswith("test_") for part in i.target.split("."))
    ]


def test_no_module_imports_a_test_module() -> None:
    """What tests share lies in a module beside them or in `tests/support`; shared fixtures in a ``conftest.py``."""
    found = [i for plane in ("tests", "loadtests") for i in imports_of(plane)]

    assert not _offences(_of_test_modules(found))


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("tests.edge.tracking.test_redeem.shown_at", 1),
        ("tests.clients.test_contract_views", 1),
        ("tests.edge.tracking.track_clients.shown_at", 0),
        ("tests.support.builders.a_property", 0),
        ("control.dashboard.test_keys", 0),
    ],
)
def test_an_import_of_a_test_module_is_found(target: str, expected: int) -> None:
    one = Import(ROOT / "tests" / "edge" / "tracking" / "test_x.py", 1, target, at_load=True)

    assert len(_of_test_modules([one])) == expected


def test_rules_of_the_game_know_no_http() -> None:
    rules = ("budget", "decision", "ivt", "pacing", "privacy", "snapshot", "tracking", "user_agent")
    found = [
        i
        for i in imports_of("common")
        if i.module.relative_to(ROOT / "common").parts[0] in rules
        and _within(i.target, ("sanic", "common.http", "pydantic_settings"))
    ]

    assert not _offences(found)


def test_only_wiring_names_adapters() -> None:
    found = [
        i
        for plane in ("edge", "control")
        for i in imports_of(plane)
        if _within(i.target, (f"{plane}.adapters",))
        and i.module.name != "wiring.py"
        and "adapters" not in i.module.relative_to(ROOT / plane).parts
    ]

    assert not _offences(found)


def test_files_hold_about_one_idea() -> None:
    long = [
        f"{path.relative_to(ROOT)}: {lines} lines"
        for plane in ("common", "edge", "control", "deploy", "loadtests", "tests")
        for path in modules_of(plane)
        if "versions" not in path.parts and (lines := len(path.read_text().splitlines())) > 400
    ]

    assert not long


def test_only_compiled_classes_extend_compiled_ones() -> None:
    """Mypyc refuses to make an object of a class that was not compiled and extends one that was."""
    compiled = {
        name for name in (ROOT / "deploy/compile/modules.txt").read_text().split() if "." in name
    }
    native = {
        f"{name}.{node.name}"
        for name in compiled
        if (path := ROOT.joinpath(*name.split(".")).with_suffix(".py")).exists()
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ClassDef)
    }
    assert "control.events.ingest.parsed_records.Event" in native
    extending = [
        f"{path.relative_to(ROOT)}: {node.name}({ast.unparse(base)})"
        for plane in ("common", "edge", "control")
        for path in modules_of(plane)
        if ".".join(path.relative_to(ROOT).with_suffix("").parts) not in compiled
        for tree in [ast.parse(path.read_text())]
        for names in [_imported_names(tree)]
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        for base in node.bases
        if names.get(ast.unparse(base).split("[")[0]) in native
    ]
    assert extending == []


def _imported_names(tree: ast.Module) -> dict[str, str]:
    return {
        alias.asname or alias.name: f"{node.module}.{alias.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
