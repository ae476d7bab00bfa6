"""Reads the log of an imaginary tool: a first line ``ACME``, then ``step value`` a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.importers.recording import FileRead, Recording, Source, frame_of, mappings_of
from trainreport.model.run import Problem
from trainreport.model.series import Meaning

if TYPE_CHECKING:
    from pathlib import Path

HEAD = b"ACME\n"


class AcmeLog:
    """Reads the loss on unseen data."""

    name = "acme"
    title = "Acme logs"

    def recognises(self, path: Path, head: bytes) -> bool:
        """Return whether the first line says so."""
        return head.startswith(HEAD)

    def read(self, source: Source) -> Recording:
        """Read a loss a line; what is no number is listed."""
        import numpy as np

        steps, values, problems = [], [], []
        for number, line in enumerate(source.path.read_text(encoding="utf-8", errors="replace").splitlines()[1:], 2):
            try:
                step, value = line.split()
                row = int(step), float(value)
            except ValueError:
                problems.append(Problem(source.name, f"line {number}", f"no step and value: {line[:40]!r}"))
                continue
            steps.append(row[0])
            values.append(row[1])
        names, meanings = ["val_loss"], [Meaning("loss", "validation", "1", None, "Acme logs this")]
        codes = np.zeros(len(values), dtype=np.intp)
        frame = frame_of(names, meanings, codes, np.array(values), file=source.name, steps=np.array(steps, dtype=np.int64))
        return Recording(
            importer=self.name,
            kind="training",
            key=source.folder,
            name=source.path.stem,
            frame=frame,
            files=(FileRead(source.path, source.name, len(values), len(problems)),),
            folder=source.folder,
            mappings=mappings_of(names, meanings),
            problems=tuple(problems),
        )


class Touchy(AcmeLog):
    """Breaks off where it sees a file that is not its own, and reads none."""

    name = "acme-touchy"
    title = "What breaks off"

    def recognises(self, path: Path, head: bytes) -> bool:
        """Break off on all but its own."""
        if head.startswith(b"TOUCHY"):
            return True
        raise RuntimeError("not mine")

    def read(self, source: Source) -> Recording:
        """Break off."""
        raise RuntimeError("cannot read")


IMPORTER = AcmeLog()
TOUCHY = Touchy()
