"""Signatures of faults in what the logs say in words: GPU errors, and memory that ran out."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from trainreport.model.case import Case

__all__ = ["APPLICATION_XIDS", "Told", "gpu_faults", "has_messages", "out_of_memory", "quoted", "xid_of"]

APPLICATION_XIDS = frozenset({8, 13, 31, 32, 43, 44, 45, 68, 69, 109})
"""Xid errors that a program causes, mostly (NVIDIA, XID Errors); the others speak of hardware, driver or link."""

_XID = re.compile(r"\bxid\b(?:\s*\([^)]*\))?\s*[:=#]?\s*(\d{1,3})\b", re.IGNORECASE)
_GPU = re.compile(
    r"\bxid\b(?:\s*\([^)]*\))?\s*[:=#]?\s*\d{1,3}\b"
    r"|gpu has fallen off the bus|\bgpu is lost\b|\bgpu requires (?:a )?reset"
    r"|uncorrectable (?:ecc|nvlink) error|ecc error.{0,40}uncorrect|double[ -]bit ecc|cudaerror(?:eccuncorrectable|devicesunavailable)"
    r"|unable to determine the device handle for gpu",
    re.IGNORECASE,
)
_STRICT = re.compile(
    r"(?P<gpu>(?:cuda|hip|xpu|mps)(?: backend)? out of memory|torch\.(?:cuda\.)?outofmemoryerror|cuda_error_out_of_memory"
    r"|cublas_status_alloc_failed|hiperroroutofmemory|cudaerrormemoryallocation"
    r"|resource_?exhausted(?:error)?: ?(?:out of memory|oom)|oom when allocating tensor"
    r"|failed to allocate \S+ .{0,60}on (?:device|gpu))"
    r"|(?P<host>oom[-_ ]?kill|out of memory: kill(?:ed)? process|detected \d+ oom|defaultcpuallocator: (?:can't|not enough)"
    r"|std::bad_alloc|numpy\S*arraymemoryerror|dataloader worker .{0,40}killed by signal: (?:killed|bus error))",
    re.IGNORECASE,
)
_LOOSE = re.compile(r"(?P<gpu>\bcuda\b.{0,40}\boom\b)|(?P<host>\bmemoryerror\b|cannot allocate memory|\bout of memory\b)", re.IGNORECASE)
_ADVICE = re.compile(r"\b(?:to avoid|may|might|could|if you|in case of|prevents?|handles?|without)\b[^.:]{0,40}$", re.IGNORECASE)
"""Words before a signature that make it a warning of what could be, not a report of what was."""
_SERIOUS = frozenset({"error", "warning", "critical", "fatal"})
_WORDS = frozenset({"device-inferred", "header-inferred", "preamble", "graph", "deleted", "notice", "not-given"})
"""Kinds of event that importers make themselves."""


class Told(NamedTuple):
    """One thing that the logs said."""

    message: str
    time_s: float | None
    step: int | None
    file: str | None
    line: int | None
    subject: str
    """``gpu`` or ``host``."""
    number: int
    """How often the like was said."""


def has_messages(case: Case) -> bool:
    """Return whether the logs hold messages of the run itself, in which a fault could have been told."""
    events = case.log.events
    return bool(len(events)) and not events["kind"].isin(_WORDS).all()


def gpu_faults(case: Case) -> list[Told]:
    """Return what the logs say of faults of GPUs, one entry for each Xid or wording."""
    return _matches(case, _GPU, None, ("gpu-error",))


def out_of_memory(case: Case) -> list[Told]:
    """Return what the logs say of memory that ran out, one entry each for GPUs and for the machine."""
    return _matches(case, _STRICT, _LOOSE, ())


def xid_of(message: str) -> int | None:
    """Return the number of the Xid error that a message names, or None."""
    match = _XID.search(message)
    return None if match is None else int(match.group(1))


def quoted(message: str, most: int) -> str:
    """Return a message to stand at the end of a sentence, with its end; a long one is cut between two words."""
    text = textwrap.shorten(message, most, placeholder=" …", break_long_words=False, break_on_hyphens=False)
    text = f"{message[: most - 1]}…" if text == "…" else text  # one word that is too long
    return text if text.endswith("…") else f"{text.rstrip('.')}."


def _matches(case: Case, strict: re.Pattern[str], loose: re.Pattern[str] | None, kinds: tuple[str, ...]) -> list[Told]:
    """Return the first event of each wording; a loose signature counts only where the event is a warning or an error."""
    events = case.log.events
    if not len(events):
        return []
    found: dict[str, list[int]] = {}
    subjects: dict[str, str] = {}
    columns = zip(events["message"].astype(str), events["kind"].astype(str), events["level"].astype(str), strict=True)
    for row, (message, kind, level) in enumerate(columns):
        match = strict.search(message)
        if match is None and loose is not None and level.lower() in _SERIOUS:
            match = loose.search(message)
        if (match is None and kind not in kinds) or (match is not None and _ADVICE.search(message[: match.start()])):
            continue
        groups = {} if match is None else match.groupdict()
        subject = "host" if groups.get("host") else "gpu"
        xid = xid_of(message)
        key = f"xid {xid}" if xid is not None else subject if loose is not None else (match.group(0).lower() if match else message)
        found.setdefault(key, []).append(row)
        subjects[key] = subject
    return [_told(case, rows, subjects[key]) for key, rows in found.items()]


def _told(case: Case, rows: list[int], subject: str) -> Told:
    import pandas as pd

    first = case.log.events.iloc[rows[0]]
    time, step, line, file = first["time"], first["step"], first["line"], first["file"]
    return Told(
        message=" ".join(str(first["message"]).split()),
        time_s=None if pd.isna(time) else float(time.timestamp()),
        step=None if pd.isna(step) else int(step),
        file=None if pd.isna(file) or not file else str(file),
        line=None if pd.isna(line) else int(line),
        subject=subject,
        number=len(rows),
    )
