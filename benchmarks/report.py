"""What a report costs, as ratios in one run: ``python -m benchmarks.report``.

One run of 10,000 steps (loss and accuracy, training and validation) with a GPU log of two devices. Compared
with what cannot be avoided: importing the libraries, and WeasyPrint's own rendering of the same HTML.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

STEPS = 10_000
LIBRARIES = "numpy, pandas, pyarrow, jinja2, weasyprint, matplotlib.figure, matplotlib.backends.backend_svg, google.protobuf"
HTML_LIBRARIES = LIBRARIES.replace("weasyprint, ", "")
BAR, BAR_HTML_S, BAR_HELP_S = 1.6, 1.5, 0.150
PLAN = """
[plan]
owner = "Customer analytics"
[[criteria]]
id = "accuracy"
series = "accuracy"
threshold = 0.90
unit = "share"
[budget]
money = "40 EUR"
[rates]
gpu_hour = "3.20 EUR"
"""


def main() -> int:
    """Print each part and the ratio that is held to; return 1 where a bar is missed."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_logs(folder / "logs")
        (folder / "plan.toml").write_text(PLAN)
        command = ["-m", "trainreport", "report", folder / "logs", "--plan", folder / "plan.toml", "--force", "-o", folder / "out"]
        whole = best(command, codes=(0, 1))
        page = best([*command[:-1], folder / "page", "--format", "html"], codes=(0, 1)) - best(["-c", f"import {HTML_LIBRARIES}"])
        imports = best(["-c", f"import {LIBRARIES}"])
        html = (folder / "out" / "report.html").stat().st_size
        pdf = (folder / "out" / "report.pdf").stat().st_size
        render = best(["-c", RENDER, folder / "out" / "report.html"]) - best(["-c", "import weasyprint"])
        bare = best(["-c", "pass"])
        start = best(["-m", "trainreport", "--help"])
        print(f"report of one run, {STEPS:,} steps, 2 GPUs · CPU seconds, best of {REPEATS}")
        print(f"  trainreport report, HTML and PDF   {whole:6.2f}   ({html / 1000:,.0f} kB HTML, {pdf / 1000:,.0f} kB PDF)")
        print(f"  importing the libraries            {imports:6.2f}")
        print(f"  WeasyPrint alone on that HTML      {render:6.2f}")
        ratio = whole / (imports + render)
        print(f"  ratio                              {ratio:6.2f}   bar: {BAR}")
        print(f"  HTML alone, beyond its imports     {page:6.2f}   bar: {BAR_HTML_S}")
        print(f"  trainreport --help                 {start * 1000:6.0f} ms   bar: {BAR_HELP_S * 1000:.0f} ms, Python {bare * 1000:.0f} ms")
        print("where the time goes, in process, CPU seconds after the imports")
        subprocess.run([sys.executable, "-c", STAGES, folder / "logs", folder / "plan.toml"], check=True)
    return int(ratio > BAR or page > BAR_HTML_S or start > BAR_HELP_S)


REPEATS = 3
RENDER = "import sys, weasyprint; weasyprint.HTML(filename=sys.argv[1]).write_pdf()"
STAGES = f"""
import sys, time
import {LIBRARIES}
from trainreport import api
from trainreport.reports import document
from trainreport.reports.formats import html, pdf
from trainreport.decisions.assess import assess
from trainreport.importers import load
from pathlib import Path
marks = [("", time.process_time())]
loaded = load([Path(sys.argv[1])]); marks.append(("read", time.process_time()))
plan = api.read_plan(sys.argv[2])
found = assess(loaded.logs, plan); marks.append(("judge", time.process_time()))
document = document.build(found); marks.append(("document", time.process_time()))
html.render(document); marks.append(("charts and HTML", time.process_time()))
pdf.render(document); marks.append(("PDF", time.process_time()))
for (_, before), (name, after) in zip(marks, marks[1:]):
    print(f"  {{name:<34}} {{after - before:6.2f}}")
"""


def best(arguments: list[object], codes: tuple[int, ...] = (0,)) -> float:
    """Return the least CPU seconds of a Python process over `REPEATS` calls."""
    return min(cpu(arguments, codes) for _ in range(REPEATS))


def cpu(arguments: list[object], codes: tuple[int, ...]) -> float:
    """Return the CPU seconds, user and system, of one Python process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    # an installed package has its bytecode; without it each process would compile the modules anew
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run([sys.executable, *map(str, arguments)], stdout=subprocess.DEVNULL, check=False, env=environment)
    if done.returncode not in codes:
        raise SystemExit(f"{arguments}: exit code {done.returncode}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def write_logs(folder: Path) -> None:
    """Write an event file and an nvidia-smi log of the same hours."""
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.compat.proto.summary_pb2 import Summary
    from tensorboard.summary.writer.record_writer import RecordWriter

    folder.mkdir()
    start, generator = 1_780_984_800.0, np.random.default_rng(0)
    step = np.arange(STEPS)
    series = {
        "loss/train": 2.3 * np.exp(-step / 2500) + 0.2,
        "accuracy/train": 0.97 - 0.8 * np.exp(-step / 2500),
        "loss/validation": 2.3 * np.exp(-step / 2500) + 0.4 + step / 50_000,
        "accuracy/validation": 0.88 - 0.7 * np.exp(-step / 2500) - step / 250_000,
    }
    noisy = {name: values + generator.normal(0, 0.01, STEPS) for name, values in series.items()}
    with (folder / "events.out.tfevents.1780984800.bench.0").open("wb") as stream:
        writer = RecordWriter(stream)
        for place in range(STEPS):
            for name, values in noisy.items():
                summary = Summary(value=[Summary.Value(tag=name, simple_value=float(values[place]))])
                writer.write(Event(wall_time=start + 2.0 * place, step=place, summary=summary).SerializeToString())
    rows = ["timestamp, index, name, utilization.gpu [%], memory.used [MiB], power.draw [W]"]
    for place in range(0, 2 * STEPS, 5):
        stamp = time.strftime("%Y/%m/%d %H:%M:%S.000", time.gmtime(start + place))
        rows += [f"{stamp}, {gpu}, NVIDIA A100-SXM4-80GB, {generator.integers(60, 100)} %, 21000 MiB, 310.50 W" for gpu in (0, 1)]
    (folder / "gpu.csv").write_text("\n".join(rows) + "\n")


if __name__ == "__main__":
    sys.exit(main())
