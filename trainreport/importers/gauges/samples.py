"""Samples of gauges, and the recording that is made of them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from trainreport.errors import InputError
from trainreport.importers.recording import Event, FileRead, Recording, frame_of, mappings_of
from trainreport.model.clock import NOT_KNOWN_NS, span
from trainreport.model.run import Hardware
from trainreport.model.schema import category_type, code_type
from trainreport.model.series import direction

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    import numpy.typing as npt

    from trainreport.importers.recording import Source
    from trainreport.importers.tables.found import Troubles
    from trainreport.model.series import Meaning

__all__ = ["NO_TIME", "Samples", "recording_of_samples"]

NO_TIME = NOT_KNOWN_NS
_MOST = 1 << 24
_NO_CLOCK = "no time written"


class Samples:
    """Numbers one below the other, each with its name, device and node; names may not repeat with another meaning."""

    def __init__(self) -> None:
        self.names: dict[str, int] = {}
        self.meanings: list[Meaning] = []
        self.devices: dict[str | None, int] = {}
        self.nodes: dict[str | None, int] = {}
        self.values: list[float] = []
        self.times_ns: list[int] = []
        self.codes: list[tuple[int, int, int]] = []
        self.left_out = 0
        self.blanks: Counter[str] = Counter()
        """How often a metric was not supported, and so has no number."""
        self.xids: dict[tuple[str, str], int] = {}
        """When a GPU first had an error, by GPU and number of the error."""

    def __len__(self) -> int:
        return len(self.values)

    def add(self, name: str, meaning: Meaning, value: float, ns: int, *, device: str | None = None, node: str | None = None) -> None:
        """Add a number; beyond a bound they are only counted."""
        if len(self.values) >= _MOST:
            self.left_out += 1
            return
        place = self.names.setdefault(name, len(self.names))
        if place == len(self.meanings):
            self.meanings.append(meaning)
        self.codes.append((place, self.devices.setdefault(device, len(self.devices)), self.nodes.setdefault(node, len(self.nodes))))
        self.values.append(value)
        self.times_ns.append(ns)


def recording_of_samples(
    importer: str,
    source: Source,
    samples: Samples,
    troubles: Troubles,
    *,
    clock: str = "UTC, written as epoch seconds",
    models: set[str] | None = None,
    skipped: int = 0,
    events: Sequence[Event] = (),
    **facts: Any,
) -> Recording:
    """Return the recording: of hardware, unless a name tells of a training, such as a loss.

    Parameters
    ----------
    importer : str
    source : Source
    samples : Samples
    troubles : Troubles
    clock : str
        How its times are written, where it has any.
    models : set of str, optional
        Names of GPUs.
    skipped : int
        Records that could not be read.
    events : sequence of Event, optional
        What else happened; metrics that were not supported, and errors of GPUs, are told ahead of it.
    facts
        Further fields of `Recording`.

    Raises
    ------
    InputError
        If there is no sample.
    """
    import numpy as np
    import pandas as pd

    if not len(samples):
        raise InputError("no number in it that is given; expected samples of gauges")
    if samples.left_out:
        troubles.add("", f"more than {_MOST:,} samples; {samples.left_out:,} were left out")
    names, device, node = np.array(samples.codes, dtype=np.intp).T
    ns = np.array(samples.times_ns, dtype=np.int64)
    frame = frame_of(
        list(samples.names), samples.meanings, names, np.array(samples.values, dtype=np.float64),
        file=source.name, times_ns=ns.copy(), devices=list(samples.devices), device_codes=device,
    )  # fmt: skip
    if set(samples.nodes) != {None}:
        frame = frame.assign(node=_labels(list(samples.nodes), node, pd.Categorical))
    first, last = span(ns[ns != NO_TIME])
    training = any(one.phase != "system" and direction(one.series) for one in samples.meanings)
    named = list(samples.devices)
    owners = {(named[of], node_of) for _, of, node_of in set(samples.codes)}
    gpus = {(device.partition("/")[0], node_of) for device, node_of in owners if device is not None and device.startswith("gpu")}
    return Recording(
        importer=importer,
        kind="training" if training else "machine",
        key=_key(source) if training else source.folder,
        name=source.path.stem,
        frame=frame,
        files=(FileRead(source.path, source.name, len(samples), skipped, clock if first else _NO_CLOCK),),
        folder=source.folder,
        mappings=mappings_of(list(samples.names), samples.meanings),
        problems=troubles.all(),
        events=(*_told(samples, source.name), *events),
        started_at=first,
        ended_at=last,
        hardware=Hardware(gpu_model=", ".join(sorted(models)) or None if models else None, gpu_count=len(gpus) or None),
        **facts,
    )


def _told(samples: Samples, file: str) -> Iterator[Event]:
    for name, count in sorted(samples.blanks.items()):
        yield Event("not-given", f"{name} is not supported in {count} samples", file=file)
    for (device, code), ns in samples.xids.items():
        yield Event("gpu-error", f"Xid {code} on {device}", None if ns == NO_TIME else ns / 1e9, level="error", file=file)


def _key(source: Source) -> str:
    return source.path.stem if source.folder == "." else f"{source.folder}/{source.path.stem}"


def _labels(labels: list[str | None], codes: npt.NDArray[np.intp], categorical: Any) -> Any:
    """Return a categorical of labels that may be None."""
    import numpy as np

    unique = sorted(label for label in labels if label is not None)
    places = np.array([-1 if label is None else unique.index(label) for label in labels], dtype=code_type(len(unique)))
    return categorical.from_codes(places[codes], dtype=category_type(tuple(unique)), validate=False)
