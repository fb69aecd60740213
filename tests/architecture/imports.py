"""Reads what each module of the tree imports, from its source alone: nothing is run."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Import:
    """*module* imports *target*; ``at_load``: as soon as it is loaded, not inside a function."""

    module: Path
    line: int
    target: str
    at_load: bool

    def __str__(self) -> str:
        return f"{self.module.relative_to(ROOT)}:{self.line} imports {self.target}"


def modules_of(plane: str) -> list[Path]:
    return sorted((ROOT / plane).rglob("*.py"))


def imports_of(plane: str) -> Iterator[Import]:
    for path in modules_of(plane):
        tree = ast.parse(path.read_text())
        functions = {
            id(child)
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            for child in ast.walk(node)
        }
        for node in ast.walk(tree):
            at_load = id(node) not in functions
            if isinstance(node, ast.Import):
                for alias in node.names:
                    yield Import(path, node.lineno, alias.name, at_load)
            elif isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    yield Import(path, node.lineno, f"{node.module}.{alias.name}", at_load)
