"""``trainreport pack``: file an audit pack."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from trainreport.cli import COMMANDS, options
from trainreport.errors import UsageError

__all__ = ["command"]


@click.command("pack", short_help=COMMANDS["pack"])
@options.logs
@options.plan
@options.billing
@options.force
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), help="Folder to write, or a file that ends with .zip.")
@click.option("--sign", "key_file", metavar="KEY", type=click.Path(path_type=Path), help="Sign with this ed25519 private key (PEM file).")
@click.option(
    "--timestamp", "stamp_file", metavar="TSR", type=click.Path(path_type=Path),
    help="File this RFC 3161 time stamp of the pack's tagmanifest-sha256.txt.",
)  # fmt: skip
@click.option(
    "--parent", "parents", metavar="PACK", multiple=True, type=click.Path(path_type=Path),
    help="Pack of earlier training that the model comes from. May be given several times.",
)  # fmt: skip
@click.option("--include-logs", is_flag=True, help="File the logs themselves too. Default: their digests.")
def command(
    *,
    paths: tuple[Path, ...],
    plan_file: Path | None,
    output: Path,
    key_file: Path | None,
    stamp_file: Path | None,
    parents: tuple[Path, ...],
    include_logs: bool,
    force: bool,
    as_of: str | None,
    **reading: Any,
) -> None:
    """File an audit pack: report, data, control matrix and decision record, in a BagIt bag that any tool can check.

    The same logs and plan give the same bytes; SOURCE_DATE_EPOCH sets the date that the pack shows. Whoever opens it
    begins with data/index.md. To add a time stamp, pack once, have tagmanifest-sha256.txt of that pack stamped (openssl ts), and
    pack the same inputs again with --timestamp. The logs, the plan and the tables hold what they held: names of users and machines too;
    --redact puts pseudonyms in their place in all but the plan, and lists them by kind in data/redactions.json.
    """
    from trainreport import api
    from trainreport.cli.progress import Progress
    from trainreport.packs import bag, create, lineage, signing, stamp

    bag.may_write(output, replace=force)
    if include_logs and reading["redact"]:
        raise UsageError(create.LOGS_TELL)
    key = None if key_file is None else signing.load_private(key_file)
    token = None if stamp_file is None else stamp.read(stamp_file)
    earlier = [lineage.read_parent(one) for one in parents]
    with Progress(1) as progress:
        analysis = api.analyze(paths, plan_file, as_of=as_of, progress=progress.file, **reading)
        progress.step(f"writing {output}")
        files = analysis.pack(output, paths, key=key, token=token, parents=earlier, include_logs=include_logs, replace=force)
    click.echo(f"{output}: {files} files, {'signed' if key else 'not signed'} · begin with data/index.md")
