"""The GPUs of SageMaker's instances (AWS, instance types of accelerated computing)."""

from __future__ import annotations

from trainreport.model.run import Hardware

__all__ = ["hardware_of"]

_GIB = 1024.0**3
# family -> model, GiB of one GPU, {size: GPUs}; sizes that are not named have one.
_FAMILIES: dict[str, tuple[str, float, dict[str, int]]] = {
    "p2": ("NVIDIA Tesla K80", 12, {"8xlarge": 8, "16xlarge": 16}),
    "p3": ("Tesla V100-SXM2-16GB", 16, {"8xlarge": 4, "16xlarge": 8}),
    "p3dn": ("Tesla V100-SXM2-32GB", 32, {"24xlarge": 8}),
    "p4d": ("NVIDIA A100-SXM4-40GB", 40, {"24xlarge": 8}),
    "p4de": ("NVIDIA A100-SXM4-80GB", 80, {"24xlarge": 8}),
    "p5": ("NVIDIA H100 80GB HBM3", 80, {"48xlarge": 8}),
    "p5e": ("NVIDIA H200", 141, {"48xlarge": 8}),
    "p5en": ("NVIDIA H200", 141, {"48xlarge": 8}),
    "g4dn": ("Tesla T4", 16, {"12xlarge": 4}),
    "g5": ("NVIDIA A10G", 24, {"12xlarge": 4, "24xlarge": 4, "48xlarge": 8}),
    "g6": ("NVIDIA L4", 24, {"12xlarge": 4, "24xlarge": 4, "48xlarge": 8}),
    "g6e": ("NVIDIA L40S", 48, {"12xlarge": 4, "24xlarge": 4, "48xlarge": 8}),
}


def hardware_of(instance: str, count: int) -> Hardware:
    """Return the GPUs of so many instances of a type such as ``ml.p3.8xlarge``; nothing of GPUs where it has none, or is not known."""
    parts = instance.removeprefix("ml.").split(".")
    known = _FAMILIES.get(parts[0]) if len(parts) == 2 else None
    nodes = count if count > 0 else None
    if known is None:
        return Hardware(node_count=nodes)
    model, memory, sizes = known
    return Hardware(model, sizes.get(parts[1], 1) * max(count, 1), nodes, memory * _GIB)
