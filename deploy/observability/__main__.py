"""`python -m deploy.observability`: writes the files that follow from the declarations; `--check` compares them."""

import sys
from pathlib import Path
from typing import Any

import orjson

from deploy.observability.grafana import render_dashboards
from deploy.observability.render import render_rules

FOLDER = Path(__file__).parent


def files() -> dict[Path, str]:
    """Every generated file with its content. Prometheus reads JSON, because all of it is YAML."""
    made = {FOLDER / "prometheus" / "rules.json": _to_json(render_rules())}
    for name, dashboard in render_dashboards().items():
        made[FOLDER / "grafana" / f"{name}.json"] = _to_json(dashboard)
    return made


def find_stale() -> list[str]:
    return [
        path.name
        for path, content in files().items()
        if not path.exists() or path.read_text(encoding="utf-8") != content
    ]


def main() -> None:
    if "--check" in sys.argv:
        stale = find_stale()
        if stale:
            sys.exit(f"{', '.join(stale)}: stale. Run `python -m deploy.observability`.")
        return
    for path, content in files().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(content, encoding="utf-8")


def _to_json(content: Any) -> str:
    return orjson.dumps(content, option=orjson.OPT_INDENT_2).decode() + "\n"


if __name__ == "__main__":
    main()
