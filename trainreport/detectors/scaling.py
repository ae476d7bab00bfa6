"""Runs that are alike but for the number of GPUs."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from trainreport.business.pace import throughput
from trainreport.model.memo import remembered

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trainreport.business.pace import Throughput
    from trainreport.model.case import Case, Family, Sibling

__all__ = ["Alike", "gpus_of", "own_rate", "smaller_runs"]

# What changes with the scale of a run, or says only where and when it ran.
_OF_SCALE = re.compile(
    r"world_?size|n?proc|(^|_)n?_?gpus?($|_)|gpu_count|devices?($|_)|nodes?($|_)|rank|parallel|batch|accumul|learning_?rate|(^|_)lr($|_)|warm_?up"
    r"|workers?($|_)|seed|(run|exp\w*|job|project)_?(id|name)|(^|_)(name|id)$|dir($|_)|path|folder|host|port($|_)|addr|time|date|log(ging|_)|save|max_steps"
)


class Alike(NamedTuple):
    """A run with the same parameters and fewer GPUs."""

    name: str
    gpus: int
    throughput: float

    @property
    def for_each(self) -> float:
        """Throughput of one GPU."""
        return self.throughput / self.gpus


def gpus_of(case: Case) -> int | None:
    """Return the number of GPUs of the run, None where it is not known."""
    held = sum(device.kind == "gpu" for device in case.ledger.devices)
    return held or case.log.run.hardware.gpu_count


def own_rate(case: Case) -> Throughput | None:
    """Return the run's throughput where it counts samples or tokens: steps may hold more with more GPUs."""
    found = throughput(case.log)
    return None if found is None or found.unit == "step/s" else found


def smaller_runs(case: Case, own: Throughput, gpus: int) -> list[Alike]:
    """Return the other runs with fewer GPUs and otherwise equal parameters, fewest GPUs first, then the fastest."""
    found = [
        Alike(one.name, one.gpus, one.throughput)
        for one in _alike(case.family).get(_fixed(case.log.run.params), ())
        if one.run_id != case.log.run.id and one.gpus and one.gpus < gpus and one.throughput and one.throughput_unit == own.unit
    ]
    return sorted(found, key=lambda one: (one.gpus, -one.throughput, one.name))


@remembered
def _alike(family: Family) -> dict[frozenset[tuple[str, str]], list[Sibling]]:
    """Return the runs by the parameters that they have in common."""
    found: dict[frozenset[tuple[str, str]], list[Sibling]] = defaultdict(list)
    for one in family:
        found[_fixed(one.params)].append(one)
    return found


def _fixed(params: Mapping[str, str]) -> frozenset[tuple[str, str]]:
    """Return the parameters that do not belong to the scale of a run."""
    return frozenset((key, value) for key, value in params.items() if not _OF_SCALE.search(key.rpartition("/")[2].lower()))
