"""TR209: straggler or imbalance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainreport.detectors import reading, wording
from trainreport.detectors.base import Detector, threshold
from trainreport.detectors.timing import paid_s, waste_of
from trainreport.detectors.workers import Lag, Uneven, Workers, at_work, lagging, uneven, workers
from trainreport.model import words
from trainreport.model.finding import Action, Confidence, Evidence, Finding, Outcome, Severity, Waste

if TYPE_CHECKING:
    from trainreport.model.case import Case

_PAI = "Alibaba PAI: right in the two public jobs with known truth that were tried (worker 6 of job 1, nobody of job 2)"
_OWN = "convention, tested on simulated logs only"


class StragglerOrImbalance(Detector):
    """One worker of a distributed run is slower than its peers, and all others wait for it.

    What it checks
    --------------
    Step times (or throughput) of each process, step by step, against the other processes. And the utilization of the GPUs of one machine
    that hold the same memory and work at the same time.

    Why it matters
    --------------
    In synchronous training each step takes as long as its slowest worker. One slow device among eight makes eight slow.

    How it decides
    --------------
    Each worker's time is divided by the median of its peers at the same step. A worker lags where more than half of 20 steps in a row
    lie above 1.15, and 75 % of them in its worst stretch or their median above 1.3. Spread is not used: with several slow workers it
    grows and hides them. The wait must take 1 % of all step time; below 5 % the severity is minor.

    Without step times of each process a GPU is uneven when it works 25 points less than its peers over the run and half of
    that in each third of it. That is told with low confidence, for two jobs that start together look the same.

    What to do
    ----------
    - Compare clocks, temperature, links and the data share of the slow worker; move it to another device and see whether the lag moves too.
    - Balance the data: equal lengths in each batch, the same number of files for each worker.

    Limits
    ------
    Workers that log a step only after they have waited for each other all show the same time. Parts of a pipeline do different work and
    hold different memory; they are not compared. GPUs that no process uses are TR202.

    References
    ----------
    - Alibaba PAI, mini-batch times (clusterdata, cluster-trace-gpu-v2020); Wu et al., FALCON, 2024 (fail-slow in training).
    - Amazon SageMaker Debugger, rule LoadBalancing.
    """

    code = "TR209"
    name = "straggler-or-imbalance"
    severity = Severity.MAJOR
    needs = ("step times or throughput of each process", "or utilization and memory of several GPUs of one machine")

    @dataclass(frozen=True, slots=True)
    class Thresholds:
        """Limits of TR209."""

        ratio: float = threshold(1.15, unit="times the peers", why="Above jitter and wide but fair spread.", low=1, high=100, source=_PAI)
        window: float = threshold(20, unit="steps", why="Whose median must be slow.", low=3, high=10_000, source=_PAI)
        core: float = threshold(
            0.75,
            unit="share",
            why="Of the worst window; scattered jitter reaches less.",
            low=0.5,
            high=1,
            source="chosen on simulated runs",
        )
        small: float = threshold(0.05, unit="share", why="A shorter wait is minor.", low=0, high=1, source="convention")
        least: float = threshold(0.01, unit="share", why="A wait that costs less is none.", low=0, high=1, source="convention")
        gap: float = threshold(0.25, unit="share", why="Utilization below the peers'.", low=0.01, high=1, source=_OWN)
        seconds: float = threshold(600, unit="s", why="GPUs are compared over at least this.", low=1, high=86400, source=_OWN)

    def check(self, case: Case, limits: Thresholds) -> Outcome:
        """Judge one run."""
        seen = workers(case)
        if seen is not None and len(seen.step) >= limits.window:
            lags, wait = lagging(seen, int(limits.window), limits.ratio, limits.core)
            if lags and wait >= limits.least:
                return self.found(self._lag(case, seen, lags, wait, limits))
            return self.clear(
                f"{len(seen.names)} processes waited {words.share(wait)} of the time for laggards over {len(seen.step):,} common steps"
            )
        uses = at_work(case, 30, limits.seconds)
        if len(uses) < 2:
            fewer = "" if seen is None else f"; the processes logged {len(seen.step)} common steps, {limits.window:g} are needed"
            return self.not_applicable(f"no step times of several processes, and fewer than two GPUs at work with times{fewer}")
        found = uneven(case, uses, limits.gap)
        if found:
            return self.found(*(self._uneven(one, limits) for one in found))
        means = sorted(use.mean for use in uses)
        return self.clear(
            f"{len(uses)} GPUs worked {words.share(means[0])} to {words.share(means[-1])} of the time; none lagged behind copies of it"
        )

    def _lag(self, case: Case, seen: Workers, lags: list[Lag], wait: float, limits: Thresholds) -> Finding:
        worst = lags[0]
        others = f"; {len(lags) - 1} more lagged too" if len(lags) > 1 else ""
        return self.finding(
            f"{words.capital(worst.name)} took {worst.ratio:.2f} times as long as its peers in {words.share(worst.share)} of the steps, "
            f"between step {worst.first_step:,} and {worst.last_step:,}{others}; "
            f"waiting for the slowest took {words.share(wait)} of all step time.",
            evidence=tuple(
                Evidence(
                    f"step time of {one.name} over its peers'",
                    one.ratio,
                    "1",
                    "median of the steps in which it lags",
                    len(seen.step),
                    from_step=one.first_step,
                    to_step=one.last_step,
                    file=seen.file or None,
                )
                for one in lags
            ),
            action=Action("Compare the slow worker's device, links and share of the data with its peers'.", "Platform team", "a day"),
            confidence=Confidence.HIGH if len(seen.names) >= 4 and worst.share >= 0.1 else Confidence.MEDIUM,
            severity=Severity.MINOR if wait < limits.small else None,
            limits=limits,
            waste=_wait(case, wait),
        )

    def _uneven(self, one: Uneven, limits: Thresholds) -> Finding:
        curve = one.use.gauge.curve
        return self.finding(
            f"{wording.device(curve)} worked {words.share(one.use.mean)} of the time, its peers {words.share(one.peers)}: "
            f"if the {one.among} GPUs train one model, they wait for each other.",
            evidence=(
                reading.evidence(
                    curve,
                    "utilization below the peers'",
                    one.peers - one.use.mean,
                    "median of the peers' means less its own",
                    unit="1",
                    first=one.use.first,
                    last=one.use.last,
                ),
            ),
            action=Action(
                "Check that the load is split evenly, and log step times of each process.", owner="ML engineer", effort="an hour"
            ),
            confidence=Confidence.LOW,
            severity=Severity.MINOR,
            limits=limits,
            waste=Waste(gpu_s=(one.peers - one.use.mean) * one.use.seconds),
            curve=curve,
        )


def _wait(case: Case, wait: float) -> Waste:
    whole = paid_s(case)
    return waste_of(case, wait * whole) if whole > 0 else Waste(share_of_run=wait)


DETECTOR = StragglerOrImbalance()
