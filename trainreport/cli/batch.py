"""``trainreport batch``: judge every run below a folder."""

from __future__ import annotations

import shutil
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trainreport.batches.holder import ENGINES, MEMORY_LIMIT_GIB, TIME_LIMIT_S
from trainreport.cli import COMMANDS, options

if TYPE_CHECKING:
    from trainreport.batches.runner import Summary

__all__ = ["command"]


@click.command("batch", short_help=COMMANDS["batch"])
@click.argument("root", metavar="ROOT")
@options.reading
@options.plan
@options.billing
@options.force
@click.option("-o", "--output", required=True, metavar="DIR", type=click.Path(path_type=Path), help="Folder of the results.")
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="How many run at the same time. Default: one a CPU.")
@click.option("--engine", type=click.Choice(ENGINES), default="local", show_default=True, help="Who judges: this machine or a cluster.")
@click.option("--address", metavar="ADDRESS", help="Of the cluster. Default: one is started on this machine.")
@click.option("--reports", metavar="FORMATS", default="", help="Write each folder's report too: html, pdf, markdown, json, by commas.")
@options.look
@click.option("--resume", is_flag=True, help="Go on: leave out what was judged and has not changed.")
@click.option(
    "--time-limit",
    "time_limit_s",
    type=click.FloatRange(min=0, min_open=True),
    default=TIME_LIMIT_S,
    metavar="SECONDS",
    show_default=True,
    help="What one folder may take.",
)
@click.option(
    "--memory-limit",
    "memory_limit_gib",
    type=click.FloatRange(min=0, min_open=True),
    default=MEMORY_LIMIT_GIB,
    metavar="GIB",
    show_default=True,
    help="What one folder may take.",
)
def command(
    *,
    root: str,
    output: Path,
    plan_file: Path | None,
    jobs: int | None,
    engine: str,
    address: str | None,
    reports: str,
    resume: bool,
    force: bool,
    time_limit_s: float,
    memory_limit_gib: float,
    **given: Any,
) -> None:
    """Judge every run below ROOT, each folder of runs in a process of its own.

    ROOT is a folder, or the address of a store: s3://bucket/runs, gs://, az://, hf://, ssh://.
    DIR/results.jsonl gets one line a run as soon as it is judged. At the end DIR/portfolio.html shows them together, and
    DIR/runs.parquet and DIR/findings.parquet hold them for queries.
    A folder that cannot be read, takes too long or too much memory is a line with its reason, and the others go on.
    Ctrl-C loses nothing that was judged; --resume goes on.
    """
    from trainreport.batches import runner
    from trainreport.batches.terms import Terms
    from trainreport.model import words

    forms = tuple(form.strip() for form in reports.split(",") if form.strip())
    progress = _Progress()
    try:
        summary = runner.run(
            root,
            output,
            Terms.of(plan_file, reports=forms, **given),
            jobs=jobs,
            engine=engine,
            address=address,
            time_limit_s=time_limit_s,
            memory_limit_gib=memory_limit_gib,
            resume=resume,
            replace=force,
            progress=progress.show,
        )
    except KeyboardInterrupt:
        progress.end()
        click.echo(f"trainreport: what was judged stands in {output / runner.RESULTS}; --resume goes on from there", err=True)
        raise
    progress.end()
    kept = f", {words.plural(summary.skipped, 'folder')} as {'it was' if summary.skipped == 1 else 'they were'}" if summary.skipped else ""
    judged, failed = words.plural(summary.runs, "run"), words.plural(summary.failed, "folder")
    click.echo(f"{output / runner.RESULTS}: {judged} judged, {failed} failed{kept}")
    click.echo(output / runner.PORTFOLIO)


class _Progress:
    """Count, rate, failures and the time left on stderr: a line that changes on a terminal, else one in a while."""

    _EVERY_S = (0.2, 10.0)
    _LEAST_SHARE = 0.01
    """Less of the batch than a hundredth is no base for an estimate."""

    def __init__(self) -> None:
        self._terminal = sys.stderr.isatty()
        self._began = self._shown = time.monotonic()
        self._text = ""
        self._first: tuple[float, float] | None = None

    def show(self, summary: Summary) -> None:
        now = time.monotonic()
        rate = (summary.runs + summary.failed) / max(now - self._began, 1e-9)
        kept = f" · {summary.skipped:,} as they were" if summary.skipped else ""
        self._text = f"{summary.runs:,} runs judged · {rate:.1f} a second · {summary.failed:,} failed{kept}{self._left(now, summary.share)}"
        if now - self._shown >= self._EVERY_S[not self._terminal]:
            self._shown = now
            click.echo(self._line(self._text) if self._terminal else self._text, nl=not self._terminal, err=True)

    @staticmethod
    def _line(text: str) -> str:
        """Return `text` as the whole line of the terminal."""
        width = shutil.get_terminal_size().columns - 1
        return f"\r{text[:width]:<{width}}"

    def _left(self, now: float, share: float) -> str:
        """Return about how long it will take yet, by the share of the tree done since the first answer."""
        from trainreport.model import words

        self._first = self._first or (now, share)  # what --resume passes over took no time
        began, before = self._first
        if share - before < self._LEAST_SHARE:
            return ""
        return f" · about {words.duration((now - began) * (1 - share) / (share - before))} left"

    def end(self) -> None:
        """Clear the line."""
        if self._terminal:
            click.echo(self._line("") + "\r", nl=False, err=True)
