"""What the notebook costs: from ``import trainreport`` to a rendered analysis, ``python -m benchmarks.notebook``.

One run of 10,000 steps (loss and accuracy, training and validation) with a GPU log of two devices, as in
`benchmarks.report`. CPU seconds of a new process, least of several.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from benchmarks.report import PLAN, REPEATS, STEPS, best, write_logs

LIMIT_S = 3.0
PARTS = {
    "importing pandas, matplotlib, jinja2": "import pandas, matplotlib.figure, jinja2",
    "load and show the runs": "import sys, trainreport as tr; assert tr.load(sys.argv[1])._repr_html_()",
    "analyze and show the analysis": "import sys, trainreport as tr; assert tr.analyze(sys.argv[1], sys.argv[2])._repr_html_()",
}


def main() -> None:
    """Print each part, and the one that is held to."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_logs(folder / "logs")
        (folder / "plan.toml").write_text(PLAN)
        print(f"one run, {STEPS:,} steps, 2 GPUs · CPU seconds from a new process on, least of {REPEATS}")
        taken = {part: best(["-c", code, folder / "logs", folder / "plan.toml"]) for part, code in PARTS.items()}
    for part, seconds in taken.items():
        print(f"  {part:<38} {seconds:6.2f}")
    print(f"  bar: analyze and show < {LIMIT_S:g} s: {'met' if seconds < LIMIT_S else 'MISSED'}")


if __name__ == "__main__":
    main()
