"""Takes users, hosts, directories and e-mail addresses out of what was read, before anything is judged or written.

Every output is made from the runs that come out of here, so none has to be searched afterwards. A first walk
over the evidence collects what is personal, a second shows which of it there is, a third puts a pseudonym in its
place everywhere. Numbers, and the names of metrics, stay as they are.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from trainreport.model.redaction.collect import Collector
from trainreport.model.redaction.swap import Swapper
from trainreport.model.redaction.walk import walked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trainreport.model.decision import Skipped
    from trainreport.model.plan import Plan
    from trainreport.model.redaction.swap import Removed
    from trainreport.model.redaction.walk import Visitor
    from trainreport.model.run import RunLog

__all__ = ["Redacted", "Redaction", "redacted"]


@dataclass(frozen=True, slots=True, eq=False)
class Redaction:
    """What was removed, and how; only `removed` is for outputs."""

    removed: tuple[Removed, ...]
    """By kind and pseudonym; never what it was."""
    inputs: tuple[tuple[str, str], ...] = field(repr=False)
    """Path and SHA-256 of the files as they were read, for the digest of the inputs."""
    swapper: Swapper = field(repr=False)

    def text(self, text: str) -> str:
        """Return a text that comes in later, such as a name from an earlier pack, as the runs show it."""
        return self.swapper.text(text)

    def name(self, name: str) -> str:
        """Return the id or name of a run as the runs show it, of one from an earlier pack too."""
        return self.swapper.names.get(name) or self.text(name)

    def skipped(self, files: Sequence[Skipped]) -> tuple[Skipped, ...]:
        """Return files that were not read, as the runs show them."""
        return _taken_through(self.swapper, (), files)[1]

    def fitted(self, plan: Plan) -> Plan:
        """Return the plan with the names of series and of earlier runs as the runs have them now; its other texts stay."""
        known = self.swapper.names
        return replace(
            plan,
            criteria=tuple(replace(one, series=self.swapper.metric(one.series)) for one in plan.criteria),
            lineage=tuple(replace(one, name=known.get(one.name, one.name)) for one in plan.lineage),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Redacted:
    """Runs without what is personal."""

    logs: tuple[RunLog, ...]
    skipped: tuple[Skipped, ...]
    redaction: Redaction


def redacted(logs: Sequence[RunLog], skipped: Sequence[Skipped] = (), roots: Sequence[str] = ()) -> Redacted:
    """Return the runs with pseudonyms for users, hosts, directories and e-mail addresses.

    The same runs get the same pseudonyms, in whatever order they were read: these are numbered in the order of what
    they stand for.

    Parameters
    ----------
    logs : sequence of RunLog
    skipped : sequence of Skipped
        Files that were not read.
    roots : sequence of str
        The paths that the user gave: below them, a path is kept.
    """
    collector = Collector(roots)
    _taken_through(collector, logs, skipped)
    draft = Swapper(collector.found)
    _taken_through(draft, logs, skipped)
    swapper = Swapper(draft.used)
    inputs = tuple((file.path, file.sha256) for log in logs for file in log.run.files)
    cleaned, left_out = _taken_through(swapper, logs, skipped)
    return Redacted(cleaned, left_out, Redaction(swapper.removed, inputs, swapper))


def _taken_through(visitor: Visitor, logs: Sequence[RunLog], skipped: Sequence[Skipped]) -> tuple[tuple[RunLog, ...], tuple[Skipped, ...]]:
    """Return runs and files left out as the visitor gives them back."""
    left_out = tuple(replace(one, path=visitor.path(one.path), reason=visitor.text(one.reason)) for one in skipped)
    return tuple(walked(log, visitor) for log in logs), left_out
