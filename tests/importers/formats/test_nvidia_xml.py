from __future__ import annotations

from pathlib import Path

import pytest

from trainreport.errors import InputError
from trainreport.importers.formats.nvidia_xml import IMPORTER
from trainreport.importers.recording import Importer, Recording, Source

PROLOG = '<?xml version="1.0" ?>\n<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v12.dtd">\n'
GPU = """\
	<gpu id="00000000:{bus}:00.0">
		<product_name>NVIDIA A100-SXM4-80GB</product_name>
		<uuid>GPU-{bus}</uuid>
		<fan_speed>N/A</fan_speed>
		<performance_state>P0</performance_state>
		<clocks_event_reasons>
			<clocks_event_reason_sw_power_cap>Active</clocks_event_reason_sw_power_cap>
		</clocks_event_reasons>
		<fb_memory_usage><total>81920 MiB</total><used>{used} MiB</used></fb_memory_usage>
		<utilization><gpu_util>{util} %</gpu_util><memory_util>[Unknown Error]</memory_util></utilization>
		<temperature><gpu_temp>61 C</gpu_temp></temperature>
		<gpu_power_readings><power_draw>250.50 W</power_draw><current_power_limit>400.00 W</current_power_limit></gpu_power_readings>
		<processes><process_info><pid>1</pid><used_memory>5 MiB</used_memory></process_info></processes>
	</gpu>
"""


def document(time: str, *gpus: tuple[str, int, int]) -> str:
    body = "".join(GPU.format(bus=bus, used=used, util=util) for bus, used, util in gpus)
    return f"{PROLOG}<nvidia_smi_log>\n\t<timestamp>{time}</timestamp>\n\t<attached_gpus>2</attached_gpus>\n{body}</nvidia_smi_log>\n"


LOOP = document("Sat Jun  7 12:00:01 2025", ("07", 1000, 90), ("0A", 3, 0)) + document(
    "Sat Jun  7 12:00:11 2025", ("07", 1001, 80), ("0A", 3, 0)
)


def read(folder: Path, text: str) -> Recording:
    file = folder / "gpu.xml"
    file.write_text(text)
    return IMPORTER.read(Source(file, "gpu.xml"))


def values(recording: Recording, series: str, device: str) -> list[float]:
    frame = recording.frame
    return frame.loc[(frame["series"] == series) & (frame["device"] == device), "value"].tolist()


def test_it_is_an_importer() -> None:
    assert isinstance(IMPORTER, Importer)
    assert IMPORTER.recognises(Path("any"), LOOP.encode())
    assert not IMPORTER.recognises(Path("any.xml"), b'<?xml version="1.0"?><log/>')


def test_documents_behind_each_other(tmp_path: Path) -> None:
    recording = read(tmp_path, LOOP)
    assert values(recording, "gpu/utilization", "gpu0") == [0.9, 0.8]
    assert values(recording, "gpu/utilization", "gpu1") == [0.0, 0.0]
    assert values(recording, "gpu/memory_used", "gpu0") == [1000 * 2**20, 1001 * 2**20]
    assert values(recording, "gpu/power", "gpu0") == [250.5, 250.5]
    assert values(recording, "gpu/power_limit", "gpu0") == [400.0, 400.0]
    assert values(recording, "gpu/throttle/sw_power_cap", "gpu1") == [1.0, 1.0]
    assert [str(time) for time in recording.frame["time"].unique()] == ["2025-06-07 12:00:01+00:00", "2025-06-07 12:00:11+00:00"]
    assert recording.tags["gpu1.uuid"] == "GPU-0A"
    assert recording.hardware.gpu_count == 2
    assert recording.hardware.gpu_memory_bytes == 81920 * 2**20
    assert not recording.problems


def test_document_that_is_cut_keeps_what_came_before(tmp_path: Path) -> None:
    recording = read(tmp_path, LOOP[: LOOP.rindex("<product_name>")])
    assert values(recording, "gpu/utilization", "gpu0") == [0.9, 0.8]
    assert values(recording, "gpu/utilization", "gpu1") == [0.0]
    [problem] = recording.problems
    assert "after 1 GPUs" in problem.what
    line = int(problem.place.removeprefix("line "))
    assert line == LOOP[: LOOP.rindex("<product_name>")].count("\n") + 1


@pytest.mark.parametrize(
    "doctype",
    [
        '<!DOCTYPE nvidia_smi_log [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]>',
        '<!DOCTYPE nvidia_smi_log SYSTEM "x.dtd" [<!ENTITY a SYSTEM "file:///etc/passwd">]>',
    ],
)
def test_entities_are_refused(tmp_path: Path, doctype: str) -> None:
    text = LOOP.replace('<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v12.dtd">', doctype, 1)
    recording = read(tmp_path, text)
    assert values(recording, "gpu/utilization", "gpu0") == [0.8]
    assert "DTD" in recording.problems[0].what
    with pytest.raises(InputError, match="DTD"):
        read(tmp_path, text[: text.rindex("<?xml")])


def test_no_document_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no GPU in it"):
        read(tmp_path, "nothing")
