"""
``make measure-parsers``: every parser that reads untrusted bytes, with its worst time over inputs designed to be
slow, at the largest size that can reach it. The bar is 50 ms on the event loop; `docs/threat-model.md` has the table.

A parser that is missing in `edge_parsers` and `control_parsers`, or whose worst shape is missing, is a bug of them.
"""

import sys

from loadtests.bench.report import Report
from loadtests.measure.control_parsers import CONTROL_PARSERS
from loadtests.measure.edge_parsers import EDGE_PARSERS
from loadtests.measure.parser import worst_ms

BAR_MS = 50.0


def main() -> int:
    report = Report("parsers")
    print("| parser | max. bytes | where | worst, ms | of |\n|---|---|---|---|---|")
    for parser in (*EDGE_PARSERS, *CONTROL_PARSERS):
        worst, shape = worst_ms(parser)
        shown = ascii(shape)[2:-1].replace("|", " ")
        print(
            f"| {parser.name} | {parser.max_bytes:,} | {parser.where} | {worst:.2f} | `{shown}` |"
        )
        name = f"{parser.name.replace(' ', '_').replace(',', '').replace(':', '')}_ms"
        report.figures[name] = worst
        if parser.where == "loop":
            report.reach[f"max_{name}"] = BAR_MS
    return report.print()


if __name__ == "__main__":
    sys.exit(main())
