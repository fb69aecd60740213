"""
`python -m control.reporting.forecast`: reads a `Job` from standard input and writes a `Forecast` or None.

Started by `control.reporting.forecast.forecaster`, not by people.
"""

import pickle
import sys

from common.service.sandbox import confine
from control.reporting.forecast.simulate_period import forecast

_GIB = 1 << 30
_CPU_S = 20


def main() -> None:
    confine(memory_bytes=4 * _GIB, cpu_s=_CPU_S, output_bytes=1 << 20)
    job = pickle.load(sys.stdin.buffer)  # noqa: S301 - from the process that started this one
    sys.stdout.buffer.write(pickle.dumps(forecast(job)))


if __name__ == "__main__":
    main()
