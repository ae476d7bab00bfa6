"""``trainreport verify``: check an audit pack."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from trainreport.cli import COMMANDS

__all__ = ["command"]


@click.command("verify", short_help=COMMANDS["verify"])
@click.argument("path", metavar="PACK", type=click.Path(path_type=Path))
@click.option("--key", "key_file", metavar="PUB", type=click.Path(path_type=Path), help="The signer's ed25519 public key (PEM file).")
def command(*, path: Path, key_file: Path | None) -> None:
    """Check an audit pack, a folder or a zip, and name every file that changed, is missing or was added.

    Take the public key from its owner, not from the pack. Nothing is unpacked or written.

    Exit codes: 0 intact · 1 changed · 2 wrong arguments · 3 signed, and no --key given · 4 no pack, or one that is refused.
    """
    from trainreport.packs import bag, signing
    from trainreport.packs.verify import verify

    found = verify(path, None if key_file is None else signing.load_public(key_file))
    for line in (*found.changes, *found.notes):
        click.echo(str(line))
    if found.changes:
        click.echo(f"{path}: changed: {len(found.changes)} file(s), see above")
        sys.exit(1)
    if found.stamped:
        click.echo(f"{bag.TOKEN}: says that the lists stood at {found.stamped}; `openssl ts -verify` checks the authority (data/index.md)")
    if found.signed and found.signed_with is None:
        click.echo(f"{path}: {found.files} files are as listed; it is signed, and without --key nobody knows by whom")
        sys.exit(3)
    whose = (
        f"signed by the key {found.signed_with}" if found.signed_with else "not signed: whoever changed a file could have changed the lists"
    )
    click.echo(f"{path}: intact: {found.files} files are as listed · {whose}")
