"""How long a job waited before it ran, where the run's parameters or tags say so."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from trainreport.model import clock

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trainreport.model.run import Run

__all__ = ["Wait", "queue_wait"]

# Names in lower case, only letters and digits, without the prefix of a scheduler.
_SUBMITTED = frozenset({"submit", "submittime", "submittedat", "jobsubmittime", "queuedat", "queuetimestart"})
_STARTED = frozenset({"start", "starttime", "startedat", "jobstarttime"})
_WAITED = frozenset({"queuewaits", "queuewaitseconds", "queueseconds", "queuetimes", "queuetimeseconds"})
_LONGEST_S = 365 * 86400.0


class Wait(NamedTuple):
    """Time in a queue."""

    seconds: float
    basis: str


def queue_wait(run: Run) -> Wait | None:
    """Return how long a run waited in the queue, None where that is not written down.

    A time without a zone is compared only with another one without.
    """
    written = {name: (key, value) for key, name, value in _entries(run)}
    for name in sorted(_WAITED & set(written)):
        key, value = written[name]
        if re.fullmatch(r"\d+(\.\d+)?", value):
            return _checked(float(value), f"as logged under {key}")
    handed_in = next((written[name] for name in sorted(_SUBMITTED & set(written))), None)
    if handed_in is None:
        return None
    submitted = _instant(handed_in[1])
    if submitted is None:
        return None
    for name in sorted(_STARTED & set(written)):
        began = _instant(written[name][1])
        if began is not None and (began.tzinfo is None) == (submitted.tzinfo is None):
            return _checked((began - submitted).total_seconds(), f"{handed_in[0]} to {written[name][0]}, as logged")
    if submitted.tzinfo is not None and run.started_at is not None:
        return _checked((run.started_at - submitted).total_seconds(), f"{handed_in[0]}, as logged, to the start of the run")
    return None


def _entries(run: Run) -> Iterator[tuple[str, str, str]]:
    for table in (run.tags, run.params):
        for key, value in table.items():
            name = re.sub(r"[^a-z0-9]", "", key.rpartition("/")[2].rpartition(".")[2].lower())
            yield key, name.removeprefix("slurm").removeprefix("sacct"), value.strip()


def _instant(text: str) -> datetime | None:
    """Return a moment: seconds since 1970, or ISO 8601; without a zone where none is written."""
    if re.fullmatch(r"\d{9,11}(\.\d+)?", text):
        return clock.from_epoch_seconds(float(text))
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo is None else moment.astimezone(UTC)


def _checked(seconds: float, basis: str) -> Wait | None:
    return Wait(seconds, basis) if 0 <= seconds <= _LONGEST_S else None
