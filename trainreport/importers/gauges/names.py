"""What monitoring systems call their gauges, and the series that each is: those that nvidia-smi's logs have too."""

from __future__ import annotations

import re
from functools import lru_cache

from trainreport.model.series import Meaning, direction, interpret

__all__ = ["DCGM_FIELDS", "DCGM_SHORT", "gauge_meaning"]

# Tag of the field, its short name in `dcgmi dmon`, names in DCGM_FI_…, series, unit; from dcgm_fields.cpp of NVIDIA/DCGM.
_DCGM = """
gpu_utilization          GPUTL  DEV_GPU_UTIL                                      gpu/utilization          %
mem_copy_utilization     MCUTL  DEV_MEM_COPY_UTIL                                 gpu/memory_utilization   %
enc_utilization          ECUTL  DEV_ENC_UTIL                                      gpu/encoder_utilization  %
dec_utilization          DCUTL  DEV_DEC_UTIL                                      gpu/decoder_utilization  %
fb_used                  FBUSD  DEV_FB_USED                                       gpu/memory_used          MiB
fb_free                  FBFRE  DEV_FB_FREE                                       gpu/memory_free          MiB
fb_total                 FBTTL  DEV_FB_TOTAL                                      gpu/memory_total         MiB
fb_resv                  FBRSV  DEV_FB_RESERVED                                   gpu/memory_reserved      MiB
fb_USDP                  FBUSP  DEV_FB_USED_PERCENT,DEV_FB_USED_RATIO             gpu/memory_share         1
power_usage              POWER  DEV_POWER_USAGE,DEV_BOARD_POWER_WATTS             gpu/power                W
power_usage_instant      POWINST DEV_POWER_USAGE_INSTANT,DEV_BOARD_POWER_RAW_WATTS gpu/power               W
power_management_limit   PMLMT  DEV_POWER_MGMT_LIMIT,DEV_BOARD_POWER_LIMIT_REQUESTED_WATTS gpu/power_limit W
enforced_power_limit     EPLMT  DEV_ENFORCED_POWER_LIMIT,DEV_BOARD_POWER_LIMIT_ENFORCED_WATTS gpu/power_limit W
power_management_limit_default PMDEF DEV_POWER_MGMT_LIMIT_DEF,DEV_BOARD_POWER_LIMIT_DEFAULT_WATTS gpu/power_limit_default W
total_energy_consumption TOTEC  DEV_TOTAL_ENERGY_CONSUMPTION                      gpu/energy_total         mJ
gpu_temp                 TMPTR  DEV_GPU_TEMP,DEV_GPU_TEMP_CELSIUS                 gpu/temperature          C
memory_temp              MMTMP  DEV_MEMORY_TEMP,DEV_MEMORY_TEMP_CELSIUS           gpu/memory_temperature   C
sm_clock                 SMCLK  DEV_SM_CLOCK                                      gpu/clock_sm             MHz
memory_clock             MMCLK  DEV_MEM_CLOCK                                     gpu/clock_memory         MHz
sm_max_clock             SMMAX  DEV_MAX_SM_CLOCK                                  gpu/clock_sm_max         MHz
memory_max_clock         MMMAX  DEV_MAX_MEM_CLOCK                                 gpu/clock_memory_max     MHz
current_clocks_event_reasons DVCCTR DEV_CLOCKS_EVENT_REASONS,DEV_CLOCK_THROTTLE_REASONS gpu/throttle_reasons 1
current_clock_throttle_reasons DVCCTR DEV_CLOCK_THROTTLE_REASONS                  gpu/throttle_reasons     1
pstate                   PSTAT  DEV_PSTATE,DEV_GPU_PSTATE                         gpu/pstate               1
fan_speed                FANSP  DEV_FAN_SPEED                                     gpu/fan                  %
xid_errors               XIDER  DEV_XID_ERRORS,DEV_XID_ERROR                      gpu/xid                  1
ecc_sbe_volatile_total   ESVTL  DEV_ECC_SBE_VOL_TOTAL                             gpu/ecc_errors/corrected_volatile_total 1
ecc_dbe_volatile_total   EDVTL  DEV_ECC_DBE_VOL_TOTAL                             gpu/ecc_errors/uncorrected_volatile_total 1
gr_engine_active         GRACT  PROF_GR_ENGINE_ACTIVE,PROF_GR_ENGINE_UTIL_RATIO   gpu/graphics_active      1
sm_active                SMACT  PROF_SM_ACTIVE,PROF_SM_UTIL_RATIO                 gpu/sm_active            1
sm_occupancy             SMOCC  PROF_SM_OCCUPANCY,PROF_SM_OCCUPANCY_RATIO         gpu/sm_occupancy         1
tensor_active            TENSO  PROF_PIPE_TENSOR_ACTIVE,PROF_TENSOR_UTIL_RATIO    gpu/tensor_active        1
dram_active              DRAMA  PROF_DRAM_ACTIVE,PROF_DRAM_UTIL_RATIO             gpu/dram_active          1
pcie_tx_bytes            PCITX  PROF_PCIE_TX_BYTES                                gpu/pcie_sent            B/s
pcie_rx_bytes            PCIRX  PROF_PCIE_RX_BYTES                                gpu/pcie_received        B/s
nvlink_tx_bytes          NVLTX  PROF_NVLINK_TX_BYTES                              gpu/nvlink_sent          B/s
nvlink_rx_bytes          NVLRX  PROF_NVLINK_RX_BYTES                              gpu/nvlink_received      B/s
"""
_ROWS = [tuple(line.split()) for line in _DCGM.strip().split("\n")]
DCGM_FIELDS: dict[str, tuple[str, str]] = {tag: (series, unit) for tag, _, _, series, unit in _ROWS}
"""By tag, as DCGM's own tools print it."""
DCGM_SHORT: dict[str, tuple[str, str]] = {short: (series, unit) for _, short, _, series, unit in _ROWS} | {
    "POWR": ("gpu/power", "W"), "GPUT": ("gpu/temperature", "C"),
}  # fmt: skip
"""By short name, the heads of `dcgmi dmon`'s columns."""

# nvidia_gpu_exporter writes a query field of nvidia-smi with the unit behind it; the others are older exporters and agents.
_OTHERS: dict[str, tuple[str, str]] = {
    "nvidia_smi_utilization_gpu_ratio": ("gpu/utilization", "1"), "nvidia_smi_utilization_memory_ratio": ("gpu/memory_utilization", "1"),
    "nvidia_smi_utilization_encoder_ratio": ("gpu/encoder_utilization", "1"),
    "nvidia_smi_utilization_decoder_ratio": ("gpu/decoder_utilization", "1"),
    "nvidia_smi_memory_used_bytes": ("gpu/memory_used", "B"), "nvidia_smi_memory_total_bytes": ("gpu/memory_total", "B"),
    "nvidia_smi_memory_free_bytes": ("gpu/memory_free", "B"), "nvidia_smi_memory_reserved_bytes": ("gpu/memory_reserved", "B"),
    "nvidia_smi_power_draw_watts": ("gpu/power", "W"), "nvidia_smi_power_draw_instant_watts": ("gpu/power", "W"),
    "nvidia_smi_power_draw_average_watts": ("gpu/power", "W"), "nvidia_smi_power_limit_watts": ("gpu/power_limit", "W"),
    "nvidia_smi_enforced_power_limit_watts": ("gpu/power_limit", "W"),
    "nvidia_smi_power_default_limit_watts": ("gpu/power_limit_default", "W"),
    "nvidia_smi_temperature_gpu": ("gpu/temperature", "C"), "nvidia_smi_temperature_memory": ("gpu/memory_temperature", "C"),
    "nvidia_smi_clocks_current_sm_clock_hz": ("gpu/clock_sm", "Hz"), "nvidia_smi_clocks_max_sm_clock_hz": ("gpu/clock_sm_max", "Hz"),
    "nvidia_smi_clocks_current_memory_clock_hz": ("gpu/clock_memory", "Hz"),
    "nvidia_smi_clocks_current_graphics_clock_hz": ("gpu/clock_graphics", "Hz"),
    "nvidia_smi_clocks_max_graphics_clock_hz": ("gpu/clock_graphics_max", "Hz"),
    "nvidia_smi_clocks_event_reasons_active": ("gpu/throttle_reasons", "1"), "nvidia_smi_pstate": ("gpu/pstate", "1"),
    "nvidia_smi_clocks_throttle_reasons_active": ("gpu/throttle_reasons", "1"), "nvidia_smi_fan_speed_ratio": ("gpu/fan", "1"),
    "nvidia_smi_energy_joules_total": ("gpu/energy_total", "J"),
    "nvidia_gpu_duty_cycle": ("gpu/utilization", "%"), "nvidia_gpu_memory_used_bytes": ("gpu/memory_used", "B"),
    "nvidia_gpu_memory_total_bytes": ("gpu/memory_total", "B"), "nvidia_gpu_power_usage_milliwatts": ("gpu/power", "mW"),
    "nvidia_gpu_temperature_celsius": ("gpu/temperature", "C"),
    "dcgm_gpu_utilization": ("gpu/utilization", "%"), "dcgm_fb_used": ("gpu/memory_used", "MiB"),
    "dcgm_fb_free": ("gpu/memory_free", "MiB"),
    "dcgm_power_usage": ("gpu/power", "W"), "dcgm_gpu_temp": ("gpu/temperature", "C"), "dcgm_sm_clock": ("gpu/clock_sm", "MHz"),
}  # fmt: skip
_EXPORTED = {f"DCGM_FI_{name}": (series, unit) for _, _, names, series, unit in _ROWS for name in names.split(",")} | _OTHERS
_SUFFIXES = (
    (re.compile(r"_bytes(?:_total|_sum)?$"), "B"), (re.compile(r"_seconds(?:_total|_sum)?$"), "s"),
    (re.compile(r"_joules(?:_total)?$"), "J"),
    (re.compile(r"_watts$"), "W"), (re.compile(r"_celsius$"), "C"), (re.compile(r"_hertz$|_clock_hz$"), "Hz"),
    (re.compile(r"_percent$"), "%"), (re.compile(r"_bytes_per_second$"), "B/s"),
)  # fmt: skip
"""Units at the end of a name, as Prometheus asks for."""


@lru_cache(maxsize=16_384)
def gauge_meaning(name: str) -> Meaning:
    """Return what a metric of Prometheus means: hardware by the tables above, a measure of training by its name, else its own name."""
    known = _EXPORTED.get(name)
    if known is not None:
        return Meaning(known[0], "system", known[1], None, "known metric of an exporter of GPUs")
    unit = next((unit for pattern, unit in _SUFFIXES if pattern.search(name)), "1")
    if name.startswith(("DCGM_", "nvidia_")):
        own = name.removeprefix("DCGM_FI_").removeprefix("DCGM_").removeprefix("nvidia_smi_").removeprefix("nvidia_").lower()
        return Meaning(f"gpu/{own}", "system", unit, None, "metric of an exporter of GPUs, name kept")
    told = interpret(name)
    if told.phase == "system" or direction(told.series) or told.why.startswith("known spelling"):
        return told
    return Meaning(f"prometheus/{name.lower()}", "system", unit, None, "no known metric, name kept")
