"""The pack as an RO-Crate 1.1 of the Process Run Crate profile 0.5: what was made, by which tool, from what."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from trainreport.model import clock
from trainreport.packs.bag import made_at
from trainreport.packs.records import as_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from trainreport.model.decision import Assessment
    from trainreport.model.run import SourceFile
    from trainreport.packs.bag import Item

__all__ = ["NAME", "metadata"]

NAME = "ro-crate-metadata.json"
_PROFILE = "https://w3id.org/ro/wfrun/process/0.5"
_TOOL = "#trainreport"
_UNKNOWN = datetime(1970, 1, 1, tzinfo=UTC)
_MEDIA = {
    "json": "application/json", "md": "text/markdown", "html": "text/html", "pdf": "application/pdf", "csv": "text/csv",
    "toml": "application/toml", "txt": "text/plain", "parquet": "application/vnd.apache.parquet",
}  # fmt: skip


def metadata(
    assessment: Assessment, items: Sequence[Item], logs: Sequence[SourceFile], filed: Mapping[str, str], parents: Sequence[str] = ()
) -> bytes:
    """Return the crate's metadata.

    Parameters
    ----------
    assessment : Assessment
    items : sequence of Item
        Every other file of the payload.
    logs : sequence of SourceFile
        What the assessment was made from.
    filed : mapping
        Path of a log -> its name in the pack, where it is filed.
    parents : sequence of str
        Digests of the packs that this one builds on.
    """
    sources = [_log(one, filed) for one in logs]
    made = [one for one in items if not one.name.startswith("logs/") and one.name != "plan.toml"]
    inputs = [{"@id": one["@id"]} for one in sources] + [{"@id": one.name} for one in items if one.name == "plan.toml"]
    when = clock.iso(made_at() or assessment.as_of or _UNKNOWN)
    action = {
        "@id": "#assessment",
        "@type": "CreateAction",
        "name": "Assessment of training runs",
        "instrument": {"@id": _TOOL},
        "object": inputs,
        "result": [{"@id": one.name} for one in made],
        "endTime": when,
        "actionStatus": {"@id": "http://schema.org/CompletedActionStatus"},
    }
    files = [_file(one) for one in items if not one.name.startswith("logs/")]
    graph = [
        _descriptor(),
        _root(assessment, items, when, parents),
        _profile(),
        _tool(assessment),
        action,
        *files,
        *sources,
        *map(_parent, parents),
    ]
    return as_json({"@context": "https://w3id.org/ro/crate/1.1/context", "@graph": graph})


def _descriptor() -> dict[str, Any]:
    return {
        "@id": NAME,
        "@type": "CreativeWork",
        "about": {"@id": "./"},
        "conformsTo": {"@id": "https://w3id.org/ro/crate/1.1"},
    }


def _root(assessment: Assessment, items: Sequence[Item], when: str | None, parents: Sequence[str]) -> dict[str, Any]:
    return {
        "@id": "./",
        "@type": "Dataset",
        "name": f"Audit pack: {assessment.plan.title or assessment.leading.log.run.name}",
        "description": assessment.decision.headline,
        "datePublished": when,
        "license": "Not stated; the pack belongs to the organisation that made it.",
        "conformsTo": {"@id": _PROFILE},
        "identifier": f"sha256:{assessment.inputs_digest}",
        "hasPart": [{"@id": one.name} for one in items],
        "mentions": {"@id": "#assessment"},
        **({"isBasedOn": [{"@id": _parent(one)["@id"]} for one in parents]} if parents else {}),
    }


def _parent(digest: str) -> dict[str, Any]:
    """Return an earlier pack, known by its digest."""
    return {"@id": f"#pack-{digest}", "@type": "CreativeWork", "name": "Audit pack of earlier training", "sha256": digest,
            "description": "Not in this pack; the digest is that of its tagmanifest-sha256.txt."}  # fmt: skip


def _profile() -> dict[str, Any]:
    return {"@id": _PROFILE, "@type": "CreativeWork", "name": "Process Run Crate", "version": "0.5"}


def _tool(assessment: Assessment) -> dict[str, Any]:
    return {
        "@id": _TOOL,
        "@type": "SoftwareApplication",
        "name": "trainreport",
        "url": "https://pypi.org/project/trainreport/",
        "softwareVersion": assessment.version,
    }


def _file(one: Item) -> dict[str, Any]:
    media = _MEDIA.get(one.name.rpartition(".")[2], "application/octet-stream")
    size = {"contentSize": str(len(one.content))} if isinstance(one.content, bytes) else {}
    return {"@id": one.name, "@type": "File", "name": one.title, "encodingFormat": media, **size}


def _log(one: SourceFile, filed: Mapping[str, str]) -> dict[str, Any]:
    """Return a log: a file of the pack, or one that is known by its digest only."""
    known = {"name": one.path, "sha256": one.sha256, "contentSize": str(one.bytes)}
    if one.path in filed:
        return {"@id": filed[one.path], "@type": "File", **known}
    return {"@id": f"#log-{one.sha256}", "@type": "CreativeWork", "description": "Not in the pack; its digest is.", **known}
