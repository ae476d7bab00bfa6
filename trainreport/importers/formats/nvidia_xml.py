"""Logs of ``nvidia-smi -q -x``, once or in a loop: XML documents one behind the other."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from trainreport.errors import InputError
from trainreport.importers.smi.fields import FIELDS, TEXTS, Heading
from trainreport.importers.smi.log import Log, recording_of
from trainreport.importers.smi.table import Column, Table, plain
from trainreport.model.run import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from xml.etree.ElementTree import Element, ParseError

    from trainreport.importers.recording import Importer, Recording, Source

__all__ = ["IMPORTER", "NvidiaXml"]

LONGEST_DOCUMENT = 64_000_000
"""Bytes; a document of 16 GPUs takes under 0.5 MB."""

# Path below <gpu> -> query field. Older drivers write power_readings, newer ones gpu_power_readings.
_PATHS = {
    "product_name": "name", "uuid": "uuid", "serial": "serial", "performance_state": "pstate", "fan_speed": "fan.speed",
    "fb_memory_usage/total": "memory.total", "fb_memory_usage/used": "memory.used", "fb_memory_usage/free": "memory.free",
    "fb_memory_usage/reserved": "memory.reserved", "bar1_memory_usage/used": "bar1.used", "bar1_memory_usage/total": "bar1.total",
    "utilization/gpu_util": "utilization.gpu", "utilization/memory_util": "utilization.memory",
    "utilization/encoder_util": "utilization.encoder", "utilization/decoder_util": "utilization.decoder",
    "utilization/jpeg_util": "utilization.jpeg", "utilization/ofa_util": "utilization.ofa",
    "temperature/gpu_temp": "temperature.gpu", "temperature/memory_temp": "temperature.memory",
    "power_readings/power_draw": "power.draw", "gpu_power_readings/power_draw": "power.draw",
    "gpu_power_readings/instant_power_draw": "power.draw.instant", "gpu_power_readings/average_power_draw": "power.draw.average",
    "power_readings/power_limit": "power.limit", "power_readings/enforced_power_limit": "enforced.power.limit",
    "gpu_power_readings/current_power_limit": "power.limit",
    "clocks/sm_clock": "clocks.sm", "clocks/mem_clock": "clocks.mem", "clocks/graphics_clock": "clocks.gr",
    "clocks/video_clock": "clocks.video", "max_clocks/sm_clock": "clocks.max.sm",
}  # fmt: skip
_REASONS = re.compile(r"clocks_(?:throttle|event)_reasons/clocks_(?:throttle|event)_reason_(?P<reason>\w{1,60})")


class _Gpu(NamedTuple):
    """One GPU in one document."""

    line: int
    clock: str
    place: int
    cells: dict[str, str]


class NvidiaXml:
    """Reads the GPUs of each document; processes and MIG devices are left out."""

    name = "nvidia-xml"
    title = "nvidia-smi -q -x, one document or many behind each other"
    tested_on = "documentation only"

    def recognises(self, path: Path, head: bytes) -> bool:
        """Return whether the root element is nvidia-smi's."""
        del path
        return b"<nvidia_smi_log" in plain(head)

    def read(self, source: Source) -> Recording:
        """Read all documents; a DTD is never loaded, and one that is written into the document is refused."""
        problems: list[Problem] = []
        gpus = list(_gpus(source.name, plain(source.path.read_bytes()), problems))
        if not gpus:
            raise InputError(f"{source.name}: {problems[0].what if problems else 'no GPU in it'}")
        return recording_of(self.name, _log(source.name, gpus, problems), source)


def _log(name: str, gpus: list[_Gpu], problems: list[Problem]) -> Log:
    import numpy as np

    paths = list(dict.fromkeys(path for gpu in gpus for path in gpu.cells))
    headings = [_heading(path) for path in paths]
    columns = [Column.from_cells(gpu.cells.get(path, "") for gpu in gpus) for path in paths]
    if any(gpu.clock for gpu in gpus):
        headings.append(Heading("timestamp", "", "timestamp"))
        columns.append(Column.from_cells(gpu.clock for gpu in gpus))
    headings.append(Heading("place in the document", "", "index"))
    columns.append(Column.from_cells(str(gpu.place) for gpu in gpus))
    return Log(name, headings, 0, Table(columns, np.array([gpu.line for gpu in gpus]), tuple(problems), len(problems)))


def _heading(path: str) -> Heading:
    reason = _REASONS.fullmatch(path)
    field = f"clocks_event_reasons.{reason['reason']}" if reason else _PATHS[path]
    assert reason or field in FIELDS or field in TEXTS
    return Heading(path.replace("/", "."), "", field, f"element {path}")


def _gpus(name: str, content: bytes, problems: list[Problem]) -> Iterator[_Gpu]:
    """Yield the GPUs of each document, of a broken one those before the break."""
    for line, document in _documents(content):
        if len(document) > LONGEST_DOCUMENT:
            problems.append(Problem(name, f"line {line}", f"a document of {len(document)} bytes; at most {LONGEST_DOCUMENT} are read"))
            continue
        if re.search(rb"<!ENTITY|<!DOCTYPE[^>]*\[", document):
            problems.append(Problem(name, f"line {line}", "a DTD within the document, which nvidia-smi never writes; not read"))
            continue
        clock, gpus, failed = _parsed(document)
        yield from (_Gpu(line, clock, place, cells) for place, cells in enumerate(gpus))
        if failed is not None:
            place = f"line {line + failed.position[0] - 1}"
            problems.append(Problem(name, place, f"the document ends or breaks here, after {len(gpus)} GPUs: {failed}"))


def _documents(content: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield each document and the line that it begins in; a loop writes them behind each other."""
    opening = b"<?xml" if b"<?xml" in content else b"<nvidia_smi_log"
    starts = [match.start() for match in re.finditer(re.escape(opening), content)]
    if not starts:
        return
    line = 1 + content.count(b"\n", 0, starts[0])
    for start, end in zip(starts, [*starts[1:], len(content)], strict=True):
        yield line, content[start:end]
        line += content.count(b"\n", start, end)


def _parsed(document: bytes) -> tuple[str, list[dict[str, str]], ParseError | None]:
    """Return the time, the cells of each GPU, and where the document breaks. Entities and DTDs were refused before."""
    from xml.etree import ElementTree

    parser: ElementTree.XMLPullParser[Any] = ElementTree.XMLPullParser(["end"])
    clock = ""
    gpus: list[dict[str, str]] = []
    try:
        parser.feed(document)
        events: Iterator[Any] = iter(parser.read_events())
        for _, element in events:
            if element.tag == "timestamp" and not clock:
                clock = (element.text or "").strip()
            elif element.tag == "gpu":
                gpus.append(_cells(element))
                element.clear()
        parser.close()
    except ElementTree.ParseError as error:
        return clock, gpus, error
    return clock, gpus, None


def _cells(gpu: Element) -> dict[str, str]:
    """Return the texts of the elements that are known, by path."""
    cells: dict[str, str] = {}
    for child in gpu:
        for path, text in [(child.tag, child.text), *((f"{child.tag}/{leaf.tag}", leaf.text) for leaf in child)]:
            if path in _PATHS or _REASONS.fullmatch(path):
                cells.setdefault(path, (text or "").strip())
    return cells


IMPORTER: Importer = NvidiaXml()
