"""What the runs of one assessment say to each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.business.pace import throughput
from trainreport.model.case import Case, Family, Sibling
from trainreport.model.series import direction
from trainreport.stats.smooth import noise

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    import numpy as np
    import numpy.typing as npt

    from trainreport.decisions.criteria import Judgement
    from trainreport.model.plan import Plan

__all__ = ["families", "leading_run"]


def families(cases: Sequence[Case], judged: Sequence[Judgement], as_of: datetime | None = None) -> list[Case]:
    """Return the cases with what each run says to the others, and with what stands for now."""
    family = Family(_sibling(case, one) for case, one in zip(cases, judged, strict=True))
    return [Case(case.log, case.plan, case.ledger, family, as_of) for case in cases]


def leading_run(judged: Sequence[Judgement], plan: Plan) -> int:
    """Return the position of the run with the best checkpoint: all mandatory criteria met first, then best by the first criterion."""
    return min(range(len(judged)), key=lambda position: (*_rank(judged[position], plan), position))


def _rank(judgement: Judgement, plan: Plan) -> tuple[bool, bool, float]:
    first = next((one for one in judgement.results if one.value is not None), None)
    if first is not None and first.value is not None:
        sign = next(one.sign for one in plan.criteria if one.id == first.id)
        return not judgement.all_met, False, -sign * first.value
    best = judgement.best
    return not judgement.all_met, True, float("inf") if best is None else -direction(best.series) * best.value


def _sibling(case: Case, judgement: Judgement) -> Sibling:
    import numpy as np

    run, ledger, best = case.log.run, case.ledger, judgement.best
    curve = None if best is None else case.curve(best.series, best.phase)
    good = np.empty(0, dtype=bool) if curve is None else np.isfinite(curve.value)
    values = np.empty(0) if curve is None else curve.value[good]
    with np.errstate(over="ignore", invalid="ignore"):  # values may lie near the largest float
        spread = noise(values)
    pace = throughput(case.log)
    return Sibling(
        run_id=run.id,
        name=run.name,
        best_value=None if best is None else best.value,
        gpu_hours=ledger.gpu_hours,
        series=None if best is None else best.series,
        phase=None if best is None else best.phase,
        noise=spread if np.isfinite(spread) else None,
        evaluations=len(values),
        best_step=None if best is None else best.step,
        last_step=None if best is None else best.last_step,
        course=() if curve is None else _course(curve.step[good], values, curve.direction),
        cost=ledger.cost,
        wall_s=ledger.wall_s,
        energy_j=ledger.energy_j,
        carbon_kg=ledger.carbon_kg,
        flop=ledger.flop,
        gpus=sum(device.kind == "gpu" for device in ledger.devices) or None,
        throughput=None if pace is None else pace.value,
        throughput_unit=None if pace is None else pace.unit,
        params=run.params,
        seed=run.seed,
        status=run.status,
        started_at=run.started_at,
        ended_at=run.ended_at,
        parent=run.parent,
    )


def _course(step: npt.NDArray[np.int64], value: npt.NDArray[np.float64], direction: int) -> tuple[tuple[int, float], ...]:
    """Return step and best value so far at each tenth of the steps."""
    import numpy as np

    if not len(step) or not direction:
        return ()
    best = np.maximum.accumulate(value) if direction > 0 else np.minimum.accumulate(value)
    at = np.searchsorted(step, step[0] + (step[-1] - step[0]) * np.linspace(0.1, 1.0, 10) * (1 + 1e-12), side="right") - 1
    return tuple((int(step[one]), float(best[one])) for one in at)
