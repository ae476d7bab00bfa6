"""``trainreport plan lock``: fix a plan by its digest."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from trainreport import _files

__all__ = ["lock"]


@click.command("lock")
@click.argument("path", type=click.Path(path_type=Path), default=Path("plan.toml"))
@click.option("--at", metavar="TIME", help="The time of locking. Default: SOURCE_DATE_EPOCH, else this machine's clock.")
def lock(path: Path, at: str | None) -> None:
    """Fix a plan before training (default: plan.toml).

    Writes digest, time and content beside the plan, into plan.lock.json. Once more after a change adds a version with what
    changed; earlier versions stay, each bound to the one before. Commit the file: the time is this machine's claim.
    """
    from trainreport.errors import InputError
    from trainreport.model import clock
    from trainreport.model.plan_reader import read_plan
    from trainreport.packs import lock as locks
    from trainreport.packs.bag import made_at

    source = read_plan(path).source
    assert source is not None, "a plan that was read has a source"
    file = path.with_name(locks.beside(path.name))
    earlier = locks.chain(file.read_bytes(), str(file)) if file.exists() else []
    now = clock.parse_instant(at) if at else made_at() or datetime.now(UTC).replace(microsecond=0)  # noqa: TID251  locking is about now
    if earlier and now < clock.parse_instant(earlier[-1]["locked_at"]):
        raise InputError(
            f"{file}: version {earlier[-1]['version']} was locked at {earlier[-1]['locked_at']}, after the time given; check the clock"
        )
    version = locks.add(source.text, earlier, now)
    if version is None:
        click.echo(f"{file}: the plan is as locked, version {earlier[-1]['version']}, {earlier[-1]['locked_at']}")
        return
    _files.write_whole(file, locks.render([*earlier, version]), replace=True)
    click.echo(f"{file}: version {version['version']} locked at {version['locked_at']}, SHA-256 {version['plan_sha256']}")
    for change in version["changes"]:
        click.echo(f"  {change['key']}: {_shown(change['from'])} → {_shown(change['to'])}")


def _shown(value: object) -> str:
    return "not set" if value is None else repr(value)
