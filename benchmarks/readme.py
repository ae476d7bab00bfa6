"""Writes the tables of README.md that follow from the product: ``python -m benchmarks.readme``."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from trainreport.detectors import all_detectors
from trainreport.detectors.accuracy import measured
from trainreport.detectors.explain import explain
from trainreport.importers.registry import all_importers, is_built_in, proven_by

README = Path(__file__).resolve().parent.parent / "README.md"


def main() -> None:
    """Replace what stands between the marks."""
    README.write_text(with_tables(README.read_text(encoding="utf-8")), encoding="utf-8")


def with_tables(text: str) -> str:
    """Return the text of a README with its tables as they follow from the product."""
    for name, table in (("formats", formats()), ("codes", codes()), ("accuracy", accuracy())):
        text = re.sub(
            rf"(<!-- {name} -->\n).*?(<!-- end of {name} -->)",
            lambda found, table=table: found[1] + table + found[2],
            text,
            flags=re.DOTALL,
        )
    return re.sub(
        r"(```\n\$ (trainreport check sample_runs/.+?)\n).*?(\n```)",
        lambda found: found[1] + printed(found[2]) + found[3],
        text,
        flags=re.DOTALL,
    )


def printed(command: str) -> str:
    """Return what a command of the README prints; RuntimeError where it prints nothing."""
    words = [sys.executable, "-m", *command.split()]
    text = subprocess.run(words, cwd=README.parent, stdout=subprocess.PIPE, text=True, check=False).stdout.rstrip("\n")
    if not text:
        raise RuntimeError(f"{command}: prints nothing; the README stays as it is")
    return text


def formats() -> str:
    """Return the table of importers, those of outside packages left out."""
    rows = [(one.name, one.title, proven_by(one)) for one in all_importers() if is_built_in(one)]
    return _table(("name", "what it reads", "tested on"), rows)


def codes() -> str:
    """Return the table of detectors."""
    rows = (explain(one) for one in all_detectors())
    return _table(("code", "name", "severity", "what it checks"), [(one.code, one.name, one.severity.word, one.summary) for one in rows])


def accuracy() -> str:
    """Return the table of measured figures."""
    rows = []
    for one in measured():
        bar = "" if one.bar is None else f"{'≥' if one.at_least else '≤'} {one.bar:g}{'' if one.met else ', missed'}"
        rows.append((one.bench, one.measure, f"{one.value:.3f}", bar, one.note))
    return _table(("detectors and data", "measure", "value", "bar", "how"), rows)


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return (
        "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)
        .replace("| --- ", "|---")
        .replace("|--- |", "|---|")
    )


if __name__ == "__main__":
    main()
