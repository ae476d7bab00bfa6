"""How many devices a run held, where no log of hardware and no scheduler says so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from trainreport.model.plan import Plan
    from trainreport.model.run import RunLog

__all__ = ["OF_MACHINE", "Kind", "counts", "said"]

_COUNT_PARAMS = ("world_size", "num_gpus", "n_gpus", "n_gpu", "gpus", "ngpus", "gpu_count", "num_devices", "nproc_per_node")
_MOST = 1_000_000
_MOST_OF_MACHINE = 1024
OF_MACHINE = "of its machine"
_DESCRIBE = {"wandb": "W&B", "sagemaker": "SageMaker", "codecarbon": "CodeCarbon", "eco2ai": "eco2AI"}
_CPU_PARAMS = ("num_cpus", "cpu_count", "n_cpus", "cpus")
_TPU_PARAMS = ("num_tpus", "tpu_count", "tpu_cores", "num_tpu_cores")

Kind = Literal["gpu", "cpu", "tpu"]


def counts(log: RunLog, plan: Plan, *, shared: bool) -> list[tuple[Kind, int, str]]:
    """Return (kind, number of devices, where that is from), the most trusted first."""
    found = said(log, plan)
    machine = log.run.hardware.gpu_count
    if machine is not None and 0 < machine <= _MOST_OF_MACHINE and not shared and not any(kind == "gpu" for kind, *_ in found):
        found.insert(0, ("gpu", machine, f"{_machine(log)}; a process may have used fewer"))
    if plan.rates.tpu_hour is not None:
        found.append(("tpu", 1, "assumed, for the plan prices TPU-hours"))
    if plan.rates.cpu_hour is not None:
        found.append(("cpu", 1, "assumed, for the plan prices CPU-hours"))
    return found


def said(log: RunLog, plan: Plan) -> list[tuple[Kind, int, str]]:
    """Return the devices that the plan or a parameter of the run gives it."""
    found: list[tuple[Kind, int, str]] = []
    if plan.training.gpus is not None:
        found.append(("gpu", plan.training.gpus, "by the plan"))
    tables: tuple[tuple[Kind, tuple[str, ...]], ...] = (("gpu", _COUNT_PARAMS), ("tpu", _TPU_PARAMS), ("cpu", _CPU_PARAMS))
    for kind, names in tables:
        for key, value in log.run.params.items():
            if key.rpartition("/")[2].lower() in names and value.isdecimal() and 0 < int(value) <= _MOST:
                found.append((kind, int(value), f"by the run's parameter {key}"))
    return found


def _machine(log: RunLog) -> str:
    """Return which tool described the machine."""
    named = next((_DESCRIBE[file.importer] for file in log.run.files if file.importer in _DESCRIBE), None)
    return f"{OF_MACHINE}, as {named} tells" if named else f"{OF_MACHINE}, as the logs tell"
