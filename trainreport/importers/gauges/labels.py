"""Whose a gauge is, by its labels: the GPU and the machine, in the spellings of the exporters."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Numbering", "Owner"]

_NODES = ("node", "kubernetes_node", "exported_node", "hostname", "exported_hostname", "host", "nodename", "instance")
_INDEX = ("gpu", "index", "gpu_id", "minor_number", "gpu_index")
_UUID = ("uuid", "gpu_uuid")
_ABOUT = frozenset({
    *_NODES, *_INDEX, *_UUID, "device", "modelname", "model_name", "pci_bus_id", "gpu_i_profile", "gpu_i_id", "gpu_i_uuid", "__name__",
    "job", "prometheus", "endpoint", "service", "dcgm_fi_driver_version", "container", "namespace", "pod", "exported_pod",
    "exported_namespace", "exported_container", "hpc_job", "err_code", "err_msg", "name",
})  # fmt: skip


class Owner(NamedTuple):
    """Whose a sample is."""

    device: str | None
    node: str | None
    mig: str | None
    """The instance of a GPU that was divided, such as ``1g.10gb 7``."""
    rest: str
    """Labels that say something else, as written: ``{quantile="0.5"}``."""


class Numbering:
    """Numbers the GPUs: by their index, else by the order in which their identities appear."""

    def __init__(self) -> None:
        self.indices: dict[str, str] = {}
        """Index by identity, as an info metric says."""
        self._seen: dict[str, int] = {}
        self.models: set[str] = set()

    def owner(self, labels: Mapping[str, str]) -> Owner:
        """Return whose a sample with these labels is."""
        lower = {name.lower(): text for name, text in labels.items()}
        node = next((lower[name] for name in _NODES if lower.get(name)), None)
        model = lower.get("modelname") or lower.get("model_name")
        if model and len(self.models) < 64:
            self.models.add(model[:100])
        mig = f"{lower.get('gpu_i_profile', '')} {lower['gpu_i_id']}".strip() if lower.get("gpu_i_id") else None
        rest = ",".join(f'{name}="{text}"' for name, text in labels.items() if name.lower() not in _ABOUT)
        device = self._device(lower)
        if device is not None and lower.get("gpu_i_id"):
            device = f"{device}/mig{lower['gpu_i_id']}"
        return Owner(device, re.sub(r":\d{1,5}$", "", node) if node else None, mig, f"{{{rest}}}" if rest else "")

    def _device(self, lower: Mapping[str, str]) -> str | None:
        uuid = next((lower[name] for name in _UUID if lower.get(name)), None)
        index = next((lower[name] for name in _INDEX if lower.get(name, "").isdecimal()), None)
        index = index or (self.indices.get(uuid) if uuid else None)
        if index is None:
            named = re.fullmatch(r"nvidia(\d{1,4})", lower.get("device", ""))
            index = named[1] if named else None
        if index is None and uuid:
            index = str(self._seen.setdefault(uuid, len(self._seen)))
        return f"gpu{int(index[:6])}" if index else None
