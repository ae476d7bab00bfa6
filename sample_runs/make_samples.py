"""Make the logs of the samples again, by training the small models that they come from.

    python -m venv /tmp/venv-samples
    /tmp/venv-samples/bin/pip install -r sample_runs/requirements.txt
    /tmp/venv-samples/bin/python sample_runs/make_samples.py [NAME…]

Only `<name>/logs` is replaced; plan.toml, ABOUT.md and expected.toml are written by hand. All values follow
from seeds, so that a second run writes the same files on one machine; another machine's arithmetic may
differ in the last digits. The training is real, its pace is not: a second of it is written as hours. No GPU
was at hand, so that what machines did is simulated (see making/gpu.py).
"""

from __future__ import annotations

import argparse
import logging
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from making import learning, machines, tries
from threadpoolctl import threadpool_limits

HERE = Path(__file__).resolve().parent
SAMPLES: Mapping[str, Callable[[Path], None]] = {
    make.__name__: make
    for make in (
        learning.healthy,
        learning.overfitting,
        learning.underfitting,
        learning.diverging,
        learning.plateau,
        learning.mlflow_experiment,
        learning.not_learning,
        machines.starved,
        machines.hardware_trouble,
        machines.distributed,
        tries.search,
        tries.unstable,
        tries.leak,
        tries.records,
    )
}


def main() -> None:
    """Make the samples named on the command line, or all."""
    parser = argparse.ArgumentParser(description="Make the logs of the samples again.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="samples to make (default: all)")
    names = parser.parse_args().names or list(SAMPLES)
    if unknown := set(names) - set(SAMPLES):
        parser.error(f"no sample is called {', '.join(sorted(unknown))}; there are {', '.join(SAMPLES)}")
    # MLflow 3 refuses to write a file store, and sends usage data, unless it is told otherwise.
    os.environ |= {"MLFLOW_ALLOW_FILE_STORE": "true", "MLFLOW_DISABLE_TELEMETRY": "true"}
    # NaN is what one of the samples is about; tensorboardX would warn of each.
    logging.getLogger("tensorboardX").setLevel(logging.ERROR)
    # Sums over several threads would differ from run to run in their last digits.
    with threadpool_limits(1):
        for name in names:
            logs = HERE / name / "logs"
            shutil.rmtree(logs, ignore_errors=True)
            logs.mkdir(parents=True)
            SAMPLES[name](logs)
            print(f"{name}: {sum(file.stat().st_size for file in logs.rglob('*') if file.is_file()):,} bytes")


if __name__ == "__main__":
    main()
