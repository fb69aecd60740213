"""Every macro that a template calls is its own or imported: a forgotten import is an error only where the line runs."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from jinja2 import Environment, nodes

from control.dashboard.rendering import HERE

_TEMPLATES = sorted((HERE / "templates").rglob("*.html"))
_PARSER = Environment(extensions=["jinja2.ext.i18n"], autoescape=True)


def _parsed(path: Path) -> nodes.Template:
    return _PARSER.parse(path.read_text("utf-8"))


_MACROS = {macro.name for path in _TEMPLATES for macro in _parsed(path).find_all(nodes.Macro)}


def _known(template: nodes.Template) -> Iterator[str]:
    """The names of macros that are made in the template or imported."""
    yield from (macro.name for macro in template.find_all(nodes.Macro))
    for imported in template.find_all(nodes.FromImport):
        yield from (name if isinstance(name, str) else name[1] for name in imported.names)


@pytest.mark.parametrize("path", _TEMPLATES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_template_imports_the_macros_that_it_calls(path: Path) -> None:
    template = _parsed(path)
    called = {
        call.node.name
        for call in template.find_all(nodes.Call)
        if isinstance(call.node, nodes.Name)
    }

    assert (called & _MACROS) - set(_known(template)) == set()
