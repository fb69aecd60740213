"""Prometheus text of several workers as one: a label says which worker a sample is of, each family stands once."""

from collections.abc import Mapping


def merge_metrics(texts: Mapping[str, str]) -> str:
    """*texts*: worker to its text. Samples keep their order within a family; ``worker`` is their first label."""
    families: dict[str, list[str]] = {}
    for worker, text in texts.items():
        _add(families, worker, text)
    return "".join(f"{line}\n" for lines in families.values() for line in lines)


def _add(families: dict[str, list[str]], worker: str, text: str) -> None:
    lines: list[str] = families.setdefault("", [])
    for line in text.splitlines():
        if line.startswith("# "):
            name = line.split(" ", 3)[2]
            known = name in families
            lines = families.setdefault(name, [])
            if not known or (line.startswith("# TYPE") and len(lines) == 1):
                lines.append(line)
        elif line and not line.startswith("#"):
            lines.append(_labelled(line, worker))


def _labelled(sample: str, worker: str) -> str:
    name, brace, rest = sample.partition("{")
    if brace:
        return f'{name}{{worker="{worker}",{rest}'
    name, _, value = sample.partition(" ")
    return f'{name}{{worker="{worker}"}} {value}'
