"""``trainreport plan lock``: fix a plan by its digest."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from trainreport import _files

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

__all__ = ["lock"]


@click.command("lock")
@click.argument("path", type=click.Path(path_type=Path), default=Path("plan.toml"))
@click.option("--at", metavar="TIME", help="The time of locking. Default: SOURCE_DATE_EPOCH, else this machine's clock.")
@click.option("--sign", "key_file", metavar="KEY", type=click.Path(path_type=Path), help="Sign with this ed25519 private key (PEM file).")
def lock(path: Path, at: str | None, key_file: Path | None) -> None:
    """Fix a plan before training (default: plan.toml).

    Writes digest, time and content beside the plan, into plan.lock.json. Once more after a change adds a version with what
    changed; earlier versions stay, each bound to the one before. Commit the file: the time is this machine's claim.
    --sign writes plan.lock.json.sig, which openssl checks; a lock that is signed once is signed at every change.
    """
    from trainreport.errors import InputError
    from trainreport.model import clock
    from trainreport.model import lock as locks
    from trainreport.model.plan_reader import read_plan
    from trainreport.packs import signing
    from trainreport.packs.bag import made_at

    source = read_plan(path).source
    assert source is not None, "a plan that was read has a source"
    file = path.with_name(locks.beside(path.name))
    key = None if key_file is None else signing.load_private(key_file)
    earlier = locks.chain(file.read_bytes(), str(file)) if file.exists() else []
    now = clock.parse_instant(at) if at else made_at() or datetime.now(UTC).replace(microsecond=0)  # noqa: TID251  locking is about now
    if earlier and now < clock.parse_instant(earlier[-1]["locked_at"]):
        raise InputError(
            f"{file}: version {earlier[-1]['version']} was locked at {earlier[-1]['locked_at']}, after the time given; check the clock"
        )
    version = locks.add(source.text, earlier, now)
    content = locks.render([*earlier, version] if version else earlier)
    _write(file, content, key, fresh=version is not None)
    if version is None:
        click.echo(
            f"{file}: the plan is as locked, version {earlier[-1]['version']}, {earlier[-1]['locked_at']}{' · signed' if key else ''}"
        )
        return
    signed = " · signed" if key else ""
    click.echo(f"{file}: version {version['version']} locked at {version['locked_at']}, SHA-256 {version['plan_sha256']}{signed}")
    for change in version["changes"]:
        click.echo(f"  {locks.shown(change)}")


def _write(file: Path, content: bytes, key: Ed25519PrivateKey | None, *, fresh: bool) -> None:
    """Write the lock and its signature; a signature that a new version would leave behind is asked for first."""
    from trainreport.errors import UsageError

    signature = file.with_name(f"{file.name}.sig")
    if fresh and key is None and signature.exists():
        raise UsageError(f"{file}: the lock is signed, and a new version needs a signature too; give the key with --sign")
    if fresh:
        _files.write_whole(file, content, replace=True)
    if key is not None:
        _files.write_whole(signature, key.sign(file.read_bytes()), replace=True)
