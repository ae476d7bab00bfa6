"""A small signed pack, a real one made by the command line, and keys made by openssl."""

from __future__ import annotations

import subprocess
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from trainreport import _resources
from trainreport.cli import command_line
from trainreport.errors import InputError
from trainreport.packs import bag, signing
from trainreport.packs.verify import verify

ITEMS = [
    bag.Item("index.md", b"# Start\n", "first page"),
    bag.Item("empty", b"", "nothing"),
    bag.Item("one", b"\0", "one byte"),
    bag.Item("frame.csv", b"run,value\nr,0.5\n" * 100, "numbers"),
    bag.Item("frame.parquet", bytes(range(256)) * 5000, "more bytes than any list of this pack"),
    bag.Item("logs/a/events", bytes(range(256)), "log"),
    bag.Item("logs/b/events", bytes(range(255, -1, -1)), "log"),
]


def call(*arguments, env=None):
    return CliRunner().invoke(command_line, [str(one) for one in arguments], env=env)


def openssl(*arguments):
    return subprocess.run(["openssl", *map(str, arguments)], capture_output=True, text=True, check=False)


@pytest.fixture(scope="session")
def keys(tmp_path_factory):
    """Return paths of a private and a public key, and the public key of somebody else."""
    folder = tmp_path_factory.mktemp("keys")
    for name in ("mine", "other"):
        assert openssl("genpkey", "-algorithm", "ed25519", "-out", folder / f"{name}.pem").returncode == 0
        assert openssl("pkey", "-in", folder / f"{name}.pem", "-pubout", "-out", folder / f"{name}.pub").returncode == 0
    return SimpleNamespace(private=folder / "mine.pem", public=folder / "mine.pub", other=folder / "other.pub")


def small(target, key_file=None, items=ITEMS, info=()):
    """Write a pack of a few bytes."""
    sign, lines = None, [*info]
    if key_file is not None:
        key = signing.load_private(key_file)
        lines.append((bag.SIGNED_WITH, signing.fingerprint(key.public_key())))
        sign = lambda tags: signing.signatures(key, tags, {"result": "PASSED"})  # noqa: E731
    bag.write(target, "root", items, lines, sign, replace=False)
    return target


@pytest.fixture(scope="session")
def signed(tmp_path_factory, keys):
    return small(tmp_path_factory.mktemp("signed") / "pack", keys.private)


@pytest.fixture(scope="session")
def real(tmp_path_factory, keys):
    """Return a pack of a sample run, signed, with its logs."""
    target = tmp_path_factory.mktemp("real") / "pack"
    made = call("pack", *sample("healthy"), "-o", target, "--sign", keys.private, "--include-logs")
    assert made.exit_code == 0, made.output
    return target


def sample(name):
    folder = _resources.folder("sample_runs") / name
    return folder / "logs", "--plan", folder / "plan.toml"


def refused(path, reason):
    before = sorted(path.parent.iterdir())
    with pytest.raises(InputError, match=reason):
        verify(path)
    assert sorted(path.parent.iterdir()) == before


def contents(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
