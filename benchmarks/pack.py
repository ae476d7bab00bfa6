"""How much CPU packing and checking 10,000 files take, beside hashing and copying them twice.

``python -m benchmarks.pack [FILES]`` writes its files below a temporary folder. The bar is 1.5 times.
"""

from __future__ import annotations

import hashlib
import os
import random
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from trainreport.packs import bag
from trainreport.packs.verify import verify

if TYPE_CHECKING:
    from collections.abc import Callable

_BYTES = 4096


def main(count: int) -> None:
    """Measure, and print one line for each step."""
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        files = _made(root / "logs", count)
        first = _cpu(lambda: _plain(files, root / "plain1"))
        packed = _cpu(lambda: bag.write(root / "pack", "root", [bag.Item(p.name, p, "log") for p in files], [], None, replace=False))
        checked = _cpu(lambda: verify(root / "pack"))
        last = _cpu(lambda: _plain(files, root / "plain2"))
    plain, ours = first + last, packed + checked
    print(f"{count:,} files of {_BYTES} bytes, CPU seconds, user and system")
    print(f"hash and copy, twice   {plain:6.2f}")
    print(f"pack                   {packed:6.2f}")
    print(f"verify                 {checked:6.2f}")
    print(f"pack and verify against hashing and copying twice: {ours / plain:.2f} (bar 1.5)")


def _made(folder: Path, count: int) -> list[Path]:
    chance = random.Random(1)
    folder.mkdir()
    files = [folder / f"{number:06}.log" for number in range(count)]
    for path in files:
        path.write_bytes(chance.randbytes(_BYTES))
    return files


def _plain(files: list[Path], target: Path) -> None:
    """Hash every file, and copy it."""
    target.mkdir()
    for path in files:
        hashlib.sha256(path.read_bytes()).hexdigest()
        shutil.copyfile(path, target / path.name)


def _cpu(work: Callable[[], object]) -> float:
    before = os.times()
    work()
    after = os.times()
    return after.user + after.system - before.user - before.system


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
