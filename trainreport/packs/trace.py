"""``trace.json``: for every number of the pack what it was made from, down to file and row of the logs or line of the plan.

Each entry covers a place in ``assessment.json`` and what is below it. The other documents show the same numbers, rounded or
in another unit; `traced` finds them by their printed form.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from trainreport.model.ledger import BUCKETS
from trainreport.model.lock import content
from trainreport.packs import records
from trainreport.packs.evidence import ledger as of_all
from trainreport.packs.origin import Rows, plan_lines
from trainreport.reports.exports.json import as_dict

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from trainreport.model.decision import Assessment, RunAssessment
    from trainreport.model.plan import Plan
    from trainreport.packs.origin import Positions

__all__ = ["NAME", "SCHEMA", "trace"]

NAME = "trace.json"
SCHEMA = "trainreport.trace/1"
_UNITS = {"wall_s": "s", "gpu_hours": "h", "cpu_hours": "h", "tpu_hours": "h", "energy_kwh": "kWh", "carbon_kg": "kg", "flop": "FLOP"}
_BASIS = {
    "wall_s": "hours",
    "gpu_hours": "hours",
    "cpu_hours": "hours",
    "tpu_hours": "hours",
    "energy_kwh": "energy",
    "carbon_kg": "carbon",
}
_RATES = ("gpu_hour", "by_model", "cpu_hour", "tpu_hour", "reserved_gpu_hour", "spot_gpu_hour", "kwh")
_PLANNED = {
    "gpu_hours": (("training", "gpus"),),
    "energy_kwh": (("rates", "pue"),),
    "carbon_kg": (("rates", "carbon_g_per_kwh"), ("rates", "pue")),
    "cost": tuple(("rates", key) for key in _RATES),
    "flop": (("training", "model_parameters"), ("training", "tokens")),
}
_ALIKE = {"amount": "cost", "idle_h": "gpu_hours"}
"""Last part of a place -> the figure of the ledger that it is made of, where that is called otherwise."""
_MADE_OF = {"energy_kwh": ("gpu_hours",), "carbon_kg": ("energy_kwh",), "cost": ("gpu_hours", "cpu_hours", "tpu_hours")}
_SERIES = {"gpu_hours": "gpu/", "tpu_hours": "tpu/", "cpu_hours": "cpu/", "flop": "flop"}
"""Beginning of the names of the series that a figure is made of."""
_POWER = "gpu/power"
_HOURS = {"scheduler": ("job/elapsed", "job/gpus"), "gpu-log": ("gpu/utilization", _POWER, "gpu/memory_used")}
"""Source of GPU-hours -> the series that tell them."""


@dataclass(frozen=True, slots=True)
class _View:
    """A run as it was judged, as the assessment tells it, and its rows; all runs together have no rows of their own."""

    run: RunAssessment | None
    told: Mapping[str, Any]
    plan: Plan
    rows: Rows | None
    prefix: str
    at: str


def trace(assessment: Assessment) -> bytes:
    """Return the content of ``trace.json``."""
    whole, entries, before = as_dict(assessment), [], 0
    several = len(assessment.runs) > 1
    for number, run in enumerate(assessment.runs):
        prefix = f"runs/{run.log.run.id}/" if several else ""
        rows = Rows(run.log.frame, before)
        view = _View(run, whole["runs"][number], assessment.plan, rows, prefix, f"/runs/{number}")
        entries += [{**one, "run": run.log.run.id} for one in _run(view, run, rows)]
        before += len(run.log.frame)
    entries += _portfolio(assessment, whole["portfolio"])
    entries += [*_sentences(whole["decision"], "overall", "/decision"), *_agreed(assessment.plan)]
    entries += [_entry("overall/rule", "/decision/rule", whole["decision"]["rule"], "", "number of the rule that decided; see the policy")]
    for index, one in enumerate(whole["redactions"]):
        how = "counted while it was put into the texts of the logs"
        entries.append(_entry(f"redactions/{one['pseudonym']}", f"/redactions/{index}", one["places"], "", how))
    entries += _others(whole, entries)
    files = {one.path: {"sha256": one.sha256, "bytes": one.bytes} for one in records.log_files(assessment)}
    return records.as_json({"schema": SCHEMA, "table": "frame.parquet", "files": files, "entries": entries})


def _run(view: _View, run: RunAssessment, rows: Rows) -> Iterator[dict[str, Any]]:
    told, prefix, at = view.told, view.prefix, view.at
    yield from _best(view, run, rows)
    yield from _findings(view)
    yield from _criteria(view, run, rows)
    yield from _ledger(view, run, rows)
    yield from _profile(view, rows)
    goodput = run.ledger.goodput
    for name in BUCKETS if goodput is not None else ():
        how = "" if goodput is None else goodput.basis.get(name, "")
        yield _entry(f"{prefix}goodput/{name}", f"{at}/goodput/{name}", told["goodput"][name], "1", how, made_of=[f"{prefix}ledger/wall_s"])
    forecast = told["forecast"]
    if forecast is not None:
        made = [f"{prefix}criteria/{forecast['criterion']}"]
        yield _entry(f"{prefix}forecast", f"{at}/forecast", forecast["probability"], "1", forecast["method"], made_of=made)
    for index, file in enumerate(told["files"]):
        how = f"counted while {file['importer']} read the file"
        yield _entry(f"{prefix}files/{file['path']}", f"{at}/files/{index}", file["rows_read"], "", how, files=[file["path"]])
    for index, one in enumerate(told["outcomes"]):
        yield _entry(f"{prefix}outcomes/{one['code']}", f"{at}/outcomes/{index}", None, "", one["reason"])
    yield from _sentences(told["decision"], f"{prefix}decision", f"{at}/decision")
    yield _entry(f"{prefix}rule", f"{at}/decision/rule", told["decision"]["rule"], "", "number of the rule that decided; see the policy")


def _sentences(decision: Mapping[str, Any], ref: str, at: str) -> Iterator[dict[str, Any]]:
    """Return the sentences of a decision, for the numbers that they say."""
    for index, one in enumerate(decision["reasons"]):
        yield _entry(f"{ref}/reasons/{index + 1}", f"{at}/reasons/{index}", None, "", f"{one['text']} (rests on {one['ref']})")
    for name in ("headline", "what_would_change_it"):
        yield _entry(f"{ref}/{name}", f"{at}/{name}", None, "", decision[name])
    for index, text in enumerate(decision["conditions"]):
        yield _entry(f"{ref}/conditions/{index + 1}", f"{at}/conditions/{index}", None, "", text)


def _agreed(plan: Plan) -> Iterator[dict[str, Any]]:
    """Return every value that the plan gives outside of its lists, with its line."""
    tables = {} if plan.source is None else content(plan.source.text)
    for table, keys in tables.items():
        for key, value in keys.items() if isinstance(keys, dict) else ():
            lines = plan_lines(plan, [(table, key)])
            yield _entry(f"plan/{table}/{key}", "", value if isinstance(value, int | float) else None, "", f"agreed: {value}", plan=lines)


def _others(whole: Mapping[str, Any], entries: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Return an entry for each number of the assessment that no rule above is about: made of the ledger of its run."""
    covered, names = {one["at"] for one in entries}, {one["ref"] for one in entries}
    several = len(whole["runs"]) > 1
    for at, value in _numbers(whole, ""):
        parts = at.split("/")
        if any("/".join(parts[:depth]) in covered for depth in range(2, len(parts) + 1)):
            continue
        run = whole["runs"][int(parts[2])] if parts[1] == "runs" else None
        prefix = f"runs/{run['run_id']}/" if run is not None and several else ""
        made = [name for name in (f"{prefix}ledger/{_ALIKE.get(parts[-1], parts[-1])}", f"{prefix}ledger/wall_s") if name in names][:1]
        files = [one["path"] for one in run["files"]] if run is not None and not made else ()
        ref = f"{prefix}{'/'.join(parts[3:] if run is not None else parts[1:])}"
        yield _entry(ref, at, value, "", "computed from the run's ledger and curves; methods.txt", made_of=made, files=files)


def _numbers(value: Any, at: str) -> Iterator[tuple[str, float]]:
    """Yield place and value of every number below a value."""
    if isinstance(value, dict):
        for key, one in value.items():
            yield from _numbers(one, f"{at}/{key}")
    elif isinstance(value, list):
        for index, one in enumerate(value):
            yield from _numbers(one, f"{at}/{index}")
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield at, value


def _best(view: _View, run: RunAssessment, rows: Rows) -> Iterator[dict[str, Any]]:
    best = run.best
    if best is None:
        return
    found = rows.holding(rows.of(best.series, best.phase, steps=(best.step, best.step)), best.value)
    how = f"best of {best.evaluations} evaluations of {best.series} ({best.phase})"
    yield _entry(f"{view.prefix}best", f"{view.at}/best_checkpoint", view.told["best_checkpoint"]["value"], "1", how, rows=found)


def _criteria(view: _View, run: RunAssessment, rows: Rows) -> Iterator[dict[str, Any]]:
    agreed = {one.id: (index, one) for index, one in enumerate(view.plan.criteria)}
    for index, result in enumerate(run.criteria):
        place, criterion = agreed[result.id]
        steps = (result.step, result.step) if criterion.statistic != "mean_last" else (None, None)
        found = rows.holding(rows.of(criterion.series, criterion.phase, steps=steps), result.value)
        keys = [("criteria", key) for key in ("series", "threshold", "comparator", "statistic", "tolerance")]
        lines = plan_lines(view.plan, keys, place)
        how = f"{criterion.statistic} of {criterion.series} ({criterion.phase}): {result.reason}"
        value = view.told["criteria"][index]["value"]
        yield _entry(f"{view.prefix}criteria/{result.id}", f"{view.at}/criteria/{index}", value, "1", how, rows=found, plan=lines)
        limit = plan_lines(view.plan, [("criteria", "threshold")], place)
        yield _entry(f"{view.prefix}criteria/{result.id}/threshold", "", result.threshold, "1", "agreed in the plan", plan=limit)


def _ledger(view: _View, run: RunAssessment, rows: Rows) -> Iterator[dict[str, Any]]:
    compute, basis, prefix = view.told["compute"], run.ledger.basis, view.prefix
    for name in ("wall_s", "gpu_hours", "cpu_hours", "energy_kwh", "carbon_kg", "flop", "cost"):
        if compute[name] is None:
            continue
        exact = run.ledger.flop if name == "flop" else compute[name]
        value, unit = (exact, _UNITS[name]) if name != "cost" else (compute[name]["amount"], compute[name]["currency"])
        sources = [f"{prefix}ledger/gpu_hours/{one.source}" for one in run.ledger.hours_told if one.counts and name == "gpu_hours"]
        positions = None if sources else _rows_of(name, rows)
        yield _entry(
            f"{prefix}ledger/{name}", f"{view.at}/compute/{name}", value, unit, basis.get(_BASIS.get(name, name), ""),
            rows=[] if positions is None else rows.told(positions),
            plan=plan_lines(view.plan, _PLANNED.get(name, ())),
            made_of=[*sources, *(f"{prefix}ledger/{one}" for one in _MADE_OF.get(name, ()) if compute.get(one) is not None)],
            files=[one["path"] for one in view.told["files"]] if not sources and (positions is None or not len(positions)) else (),
        )  # fmt: skip
    yield from _hours(view, run, rows)


def _rows_of(name: str, rows: Rows) -> Positions | None:
    """Return the rows that a figure is made of, None for one that other figures make."""
    if name == "wall_s":
        return rows.ends()
    if name == "energy_kwh":  # by its whole name: beside it may stand a limit, or what another tool sampled and does not count
        return rows.of(_POWER)
    return rows.beginning(_SERIES[name]) if name in _SERIES else None


def _hours(view: _View, run: RunAssessment, rows: Rows) -> Iterator[dict[str, Any]]:
    """Return what each source says of the GPU-hours."""
    for index, one in enumerate(run.ledger.hours_told):
        found = rows.ends() if one.source == "wall-time" else rows.any_of(_HOURS.get(one.source, ()))
        yield _entry(
            f"{view.prefix}ledger/gpu_hours/{one.source}", f"{view.at}/compute/gpu_hours_told/{index}", one.gpu_hours, "h", one.says,
            rows=rows.told(found),
            files=[file["path"] for file in view.told["files"]] if not len(found) else (),
        )  # fmt: skip


def _profile(view: _View, rows: Rows) -> Iterator[dict[str, Any]]:
    """Return the measures of a profile, which stand in the table as the profiler's importer named them."""
    profile = view.told["profile"]
    for index, one in enumerate(profile["measures"] if profile is not None else ()):
        how = f"{one['name']}: median, lowest and highest of what was recorded, by process and GPU"
        found = rows.told(rows.of(one["name"]))
        yield _entry(f"{view.prefix}profile/{one['name']}", f"{view.at}/profile/measures/{index}", None, one["unit"], how, rows=found)


def _findings(view: _View) -> Iterator[dict[str, Any]]:
    every = view.told["findings"]
    for index, found in enumerate(every):
        ref, at = f"{view.prefix}{_called(found, every)}", f"{view.at}/findings/{index}"
        parts = [f"{ref}/evidence/{number}" for number in range(1, len(found["evidence"]) + 1)]
        yield _entry(ref, at, None, "", found["message"], made_of=parts, fingerprint=found["fingerprint"])
        yield from _evidence(view, found, parts, at)
        yield from _limits(view.plan, found, ref, at)
        impact, waste = found["impact"], {key: value for key, value in found["waste"].items() if value is not None}
        if waste:
            yield _entry(f"{ref}/waste", f"{at}/waste", next(iter(waste.values())), next(iter(waste)), "from the evidence", made_of=parts)
        if impact is not None and impact["money"] is not None:
            made = [*([f"{ref}/waste"] if waste else []), f"{view.prefix}ledger/cost"]
            how = f"{impact['text']}; priced as the run is"
            yield _entry(f"{ref}/impact", f"{at}/impact", impact["money"]["amount"], impact["money"]["currency"], how, made_of=made)


def _evidence(view: _View, found: Mapping[str, Any], parts: Sequence[str], at: str) -> Iterator[dict[str, Any]]:
    run = view.run
    exact = () if run is None else next(one.evidence for one in run.findings if one.fingerprint == found["fingerprint"])
    files = [] if run is None else [one.path for one in run.log.run.files]
    for number, (proof, part) in enumerate(zip(found["evidence"], parts, strict=True)):
        own: list[dict[str, Any]] = []
        if view.rows is not None and found["series"] is not None:
            series, phase = view.rows.spoken(proof["statistic"]) or (found["series"], found["phase"])
            times = (exact[number].from_time_s, exact[number].to_time_s)
            steps, device, node = (proof["from_step"], proof["to_step"]), found["device"], found["node"]
            selected = view.rows.of(series, phase, device=device, node=node, steps=steps, times_s=times)
            own = view.rows.told(selected, exact[number].value)
        how = f"{proof['statistic']}; {proof['method']}; from {proof['n']} points"
        known = {one["file"] for one in own}
        named = [proof["file"]] if proof["file"] and proof["file"] not in known else files if not own else []
        yield _entry(part, f"{at}/evidence/{number}", proof["value"], proof["unit"], how, rows=own, files=named)


def _limits(plan: Plan, found: Mapping[str, Any], ref: str, at: str) -> Iterator[dict[str, Any]]:
    for name, limit in found["thresholds"].items():
        lines = plan_lines(plan, [("thresholds", f"{found['code']}.{name}")]) if limit["changed"] else []
        how = "changed by the plan" if limit["changed"] else f"default; see methods.txt, {found['code']}: {limit['source']}"
        yield _entry(f"{ref}/thresholds/{name}", f"{at}/thresholds/{name}", limit["value"], limit["unit"], how, plan=lines)


def _portfolio(assessment: Assessment, told: Mapping[str, Any] | None) -> Iterator[dict[str, Any]]:
    if told is None:
        return
    runs = [one.log.run.id for one in assessment.runs]
    yield _entry("runs", "/portfolio/runs", told["runs"], "", "runs in this pack")
    total = of_all(assessment)
    figures = {name: getattr(total, name) for name in _UNITS}
    for name, value in figures.items():
        if value is not None:
            yield _entry(f"ledger/{name}", f"compute.json#/{name}", value, _UNITS[name], total.basis.get(_BASIS.get(name, name), ""),
                         made_of=[f"runs/{run}/ledger/{name}" for run in runs])  # fmt: skip
    if total.cost is not None:
        made = [f"runs/{run}/ledger/cost" for run in runs]
        yield _entry("ledger/cost", "/portfolio/spent", total.cost.plain(), total.cost.currency, total.basis.get("cost", ""), made_of=made)
    yield from _findings(_View(None, told, assessment.plan, None, "", "/portfolio"))


def _called(found: Mapping[str, Any], every: Sequence[Mapping[str, Any]]) -> str:
    """Return the code of a finding; with its fingerprint where several have that code."""
    alike = sum(one["code"] == found["code"] for one in every)
    return str(found["code"]) if alike == 1 else f"{found['code']}/{found['fingerprint']}"


def _entry(ref: str, at: str, value: object, unit: str, how: str, **sources: Iterable[Any] | str) -> dict[str, Any]:
    """Return one entry; kinds of sources that it has none of are left out."""
    return {"ref": ref, "at": at, "value": value, "unit": unit, "how": how, **{key: one for key, one in sources.items() if one}}
