"""``trainreport trace``: show what a number of an audit pack was made from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trainreport.cli import COMMANDS

if TYPE_CHECKING:
    from trainreport.packs.traced import Trace

__all__ = ["command"]

_MOST = 40


@click.command("trace", short_help=COMMANDS["trace"], context_settings={"ignore_unknown_options": True})
@click.argument("pack", metavar="PACK", type=click.Path(path_type=Path))
@click.argument("ref", metavar="[REF]", required=False)
def command(*, pack: Path, ref: str | None) -> None:
    """Show what a number of an audit pack was made from: source file, logged name, row, step and time.

    REF is a code (TR101), criteria/ID, ledger/cost, goodput/stall, best, forecast, files/PATH, a fingerprint, or a number as a
    document prints it ("85 %", 2.53). Without REF, everything that can be traced is listed.

    The pack alone is read, and checked first: folder or zip, unpacked or not.
    """
    from trainreport.packs import traced

    trace = traced.read(pack)
    entries = trace.entries if ref is None else traced.found(trace, ref)
    if ref is None:
        for one in entries:
            click.echo(f"{_safe(one['ref'])}  {_value(one)}".rstrip())
        return
    for one in entries[:_MOST]:
        click.echo("\n".join(_told(one, trace)))
    if len(entries) > _MOST:
        click.echo(f"and {len(entries) - _MOST} more: {', '.join(_safe(one['ref']) for one in entries[_MOST:][:5])} …")


def _told(entry: dict[str, Any], trace: Trace) -> list[str]:
    """Return the lines on one entry."""
    lines = [f"{_safe(entry['ref'])}  {_value(entry)}".rstrip()]
    lines += [f"  how: {_safe(entry['how'])}"] if entry["how"] else []
    lines += [f"  made of: {', '.join(_safe(one) for one in entry['made_of'])}"] if entry.get("made_of") else []
    lines += [f"  plan.toml, line {one['line']}: {_safe(one['key'])}" for one in entry.get("plan", ())]
    for source in entry.get("rows", ()):
        lines += _source(source, trace)
    lines += [f"  {_file(one, trace)}" for one in entry.get("files", ())]
    return lines


def _source(source: dict[str, Any], trace: Trace) -> list[str]:
    first, last = source["rows"]
    several = f"rows {first} to {last}, {source['points']:,} points" if source["points"] > 1 else f"row {first}"
    lines = [f"  {_file(source['file'], trace)}", f"    logged as {_safe(source['logged'])}; frame.parquet, {several}"]
    numbers = [source["row"]] if source["row"] is not None else [first, last]
    return lines + [f"    row {number}: {_row(row)}" for number, row in trace.rows(numbers).iterrows()]


def _row(row: Any) -> str:
    import pandas as pd

    parts = [("step", row["step"]), ("time", row["time"]), ("device", row["device"]), ("node", row["node"])]
    told = [f"{name} {_moment(value) if name == 'time' else _safe(str(value))}" for name, value in parts if not pd.isna(value)]
    return ", ".join([*told, f"value {row['value']:.12g}{_unit(row['unit'])}"])


def _moment(value: Any) -> str:
    from trainreport.model import clock

    return str(clock.iso(value))


def _file(path: str, trace: Trace) -> str:
    known = trace.files.get(path)
    return f"{_safe(path)} (SHA-256 {known['sha256']})" if known else _safe(path)


def _value(entry: dict[str, Any]) -> str:
    value = entry["value"]
    return (
        "" if value is None else f"= {value:.12g}{_unit(entry['unit'])}" if isinstance(value, float) else f"= {value}{_unit(entry['unit'])}"
    )


def _unit(unit: str) -> str:
    return "" if unit in ("", "1") else f" {_safe(unit)}"


def _safe(text: str) -> str:
    """Return a text of a pack for a terminal."""
    from trainreport.packs.names import shown

    return shown(text)
