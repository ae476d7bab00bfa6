"""Literal nvidia-smi logs, and how tests read them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.importers.formats.nvidia_smi import IMPORTER
from trainreport.importers.recording import Recording, Source

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

UNITS = """\
timestamp, index, name, utilization.gpu [%], memory.used [MiB], memory.total [MiB], power.draw [W], \
temperature.gpu, clocks.current.sm [MHz], pstate, fan.speed [%]
2024/11/23 12:23:29.950, 0, NVIDIA A100-SXM4-80GB, 92 %, 25073 MiB, 81920 MiB, 250.50 W, 61, 1410 MHz, P0, [N/A]
2024/11/23 12:23:29.951, 1, NVIDIA A100-SXM4-80GB, 0 %, 15 MiB, 81920 MiB, 33.00 W, 30, 210 MHz, P8, [N/A]
2024/11/23 12:23:30.954, 0, NVIDIA A100-SXM4-80GB, 50 %, 25073 MiB, 81920 MiB, [Unknown Error], 62, 1410 MHz, P0, [N/A]
2024/11/23 12:23:30.955, 1, NVIDIA A100-SXM4-80GB, 0 %, 15 MiB, 81920 MiB, 33.25 W, 30, 210 MHz, P8, [N/A]
"""
NO_UNITS = UNITS
for _unit in (" [%]", " [MiB]", " [W]", " [MHz]", " %", " MiB", " W", " MHz"):
    NO_UNITS = NO_UNITS.replace(_unit, "")
SHORT = "timestamp, utilization.gpu [%]\n"


def read(folder: Path, text: str | bytes, zone: str | None = None, *, strict: bool = False) -> Recording:
    file = folder / "gpu.csv"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return IMPORTER.read(Source(file, "node1/gpu.csv", zone, strict))


def series(frame: pd.DataFrame, name: str, device: str) -> list[float]:
    return frame.loc[(frame["series"] == name) & (frame["device"] == device), "value"].tolist()


def said(frame: pd.DataFrame) -> list[tuple[str, str, str, str, float]]:
    """Return what a frame says, whatever the order of its columns in the log was."""
    return sorted(zip(frame["time"].astype(str), frame["device"], frame["series"], frame["unit"], frame["value"], strict=True))
