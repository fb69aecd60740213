"""
The packages of each plane in their order, lowest first: a package imports only those before it. `ARCHITECTURE.md` has
a line for each.

A name with a dot is a package inside a package, where the inner ones stand in an order, too.
"""

from tests.architecture.imports import ROOT, Import, imports_of

LAYERS = {
    "common": (
        "values",
        "service",
        "user_agent",
        "snapshot",
        "budget",
        "privacy",
        "ivt",
        "decision.rules",
        "decision.index",
        "decision",
        "tracking",
        "pacing",
        "contract",
        "fetching",
        "http",
    ),
    "edge": (
        "ports",
        "settings",
        "runtime",
        "request",
        "spool",
        "snapshots",
        "state",
        "audio",
        "context",
        "admission",
        "serving.render",
        "serving",
        "tracking",
        "stitching",
        "email",
        "endpoints",
        "fastpath.serve_cache",
        "fastpath.http1",
        "http",
        "adapters",
        "supervisor",
        "worker",
        "wiring",
        "scenario",
        "__main__",
    ),
    "control": (
        "ports",
        "foundation",
        "storage",
        "adapters",
        "outbox",
        "api",
        "delivery",
        "identity",
        "inventory",
        "demand",
        "billing",
        "events",
        "reporting",
        "dashboard",
        "wiring",
        "operations",
        "processes",
        "__main__",
    ),
}


def layer_of(plane: str, module: str) -> str | None:
    """
    Of a dotted *module* of *plane*; None where no layer has it. A module that is run (`__main__`) belongs to the
    highest one, wherever it stands.
    """
    parts = module.split(".")[1:]
    if parts and parts[-1] == "__main__":
        return "__main__"
    for length in (2, 1):
        name = ".".join(parts[:length])
        if name in LAYERS[plane]:
            return name
    return None


def climbing(plane: str, imports: list[Import]) -> list[str]:
    """Those of *imports* whose target stands above what imports it, or in no layer."""
    order = {name: rank for rank, name in enumerate(LAYERS[plane])}
    found = []
    for one in imports:
        if one.target.split(".")[0] != plane or one.target == plane:
            continue
        module = ".".join(one.module.relative_to(ROOT).with_suffix("").parts)
        own, target = layer_of(plane, module), layer_of(plane, one.target)
        if module == f"{plane}.__init__":
            continue
        if own is None or target is None or order[target] > order[own]:
            found.append(f"{one} ({own} may not import {target})")
    return found


def climbing_in(plane: str) -> list[str]:
    return climbing(plane, list(imports_of(plane)))
