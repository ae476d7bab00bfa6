"""Puts a pack together: every document from one assessment, then the bag around them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trainreport import reports
from trainreport.errors import InputError, UsageError
from trainreport.model import lock
from trainreport.model.decision import Verdict
from trainreport.model.digest import sha256_of_file
from trainreport.packs import bag, bom, controls, crate, evidence, lineage, pages, records, signing, stamp, trace
from trainreport.packs.bag import Item
from trainreport.packs.names import filed_as

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    from trainreport.model.decision import Assessment
    from trainreport.model.lock import Standing
    from trainreport.model.plan import LockFile
    from trainreport.model.run import SourceFile
    from trainreport.packs.controls import Control
    from trainreport.packs.lineage import Lineage, Parent

__all__ = ["LOGS_TELL", "create"]

LOGS_TELL = "the logs themselves would show what is removed; leave out --include-logs, or --redact"

_RESULTS = {Verdict.GO: "PASSED", Verdict.NO_GO: "FAILED"}


def create(
    assessment: Assessment,
    tables: Mapping[str, bytes],
    target: Path,
    *,
    paths: Sequence[Path],
    key: Ed25519PrivateKey | None = None,
    token: bytes | None = None,
    parents: Sequence[Parent] = (),
    include_logs: bool = False,
    replace: bool = False,
) -> int:
    """Write the audit pack of an assessment, and return how many files its payload has.

    Parameters
    ----------
    assessment : Assessment
    tables : mapping
        The unified frame as ``frame.parquet`` and ``frame.csv``.
    target : Path
        A folder, or a zip where the name ends with ``.zip``.
    paths : sequence of Path
        What was read, to find the logs again.
    key : Ed25519PrivateKey, optional
        Signs the pack.
    token : bytes, optional
        A time stamp of this pack's tagmanifest, which an earlier build from the same inputs gave.
    parents : sequence of Parent
        Packs of earlier training that the model comes from.
    include_logs : bool
        File the logs themselves, not their digests only.
    replace : bool
        Replace an earlier pack.

    Raises
    ------
    InputError
        If the pack cannot be written, or a log or the lock changed meanwhile.
    OutputExistsError
        If something stands at `target`.
    UsageError
        If the logs are to be included though what is personal was removed.
    """
    bag.may_write(target, replace=replace)
    if include_logs and assessment.redaction is not None:
        raise UsageError(LOGS_TELL)
    logs = records.log_files(assessment)
    filed = {path: f"logs/{name}" for path, name in filed_as(one.path for one in logs).items()} if include_logs else {}
    locked = None if assessment.plan.source is None else assessment.plan.source.lock
    line = lineage.collected(assessment, parents)
    found = evidence.gathered(assessment, _standing(assessment, locked), logs_included=include_logs)
    over = "in this pack" if line.alone else "over the lineage (lineage.json)"
    matrix = controls.judged(found, line.flop, over)
    items = _documents(assessment, tables, matrix, line) + _lock_items(locked)
    items += [Item("logs.csv", records.logs_table(logs, filed), "Digest of every log, and where it lies")]
    items += [_filed(one, filed[one.path], paths) for one in logs if one.path in filed]
    items.sort(key=lambda one: one.name)
    items.insert(0, Item("index.md", pages.index(assessment, matrix, items), "Start here: every clause, every file, how to check"))
    items.append(Item(crate.NAME, crate.metadata(assessment, items, logs, filed, line.parents), "The pack as an RO-Crate"))

    def beside(tags: dict[str, bytes]) -> dict[str, bytes]:
        stamped = {} if token is None else {bag.TOKEN: stamp.fitting(token, tags[bag.TAGMANIFEST])}
        signed = {} if key is None else signing.signatures(key, {**tags, **stamped}, _predicate(assessment, line))
        return {**stamped, **signed}

    root = f"trainreport-{assessment.inputs_digest[:12]}"
    bag.write(target, root, items, _info(assessment, key, line), beside, replace=replace)
    return len(items)


def _documents(assessment: Assessment, tables: Mapping[str, bytes], matrix: Sequence[Control], line: Lineage) -> list[Item]:
    total = evidence.ledger(assessment)
    items = [
        Item("report.html", reports.render(assessment, "html"), "Report for a browser"),
        Item("report.pdf", reports.render(assessment, "pdf"), "Report to print and file"),
        Item("assessment.json", reports.render(assessment, "json"), "Findings, thresholds, criteria and decision as data"),
        Item("decision.md", pages.decision(assessment), "Decision record, with room for signatures"),
        Item("model-card.md", pages.model_card(assessment), "Model card with emissions"),
        Item("controls.md", controls.as_markdown(matrix).encode(), "Control matrix to read"),
        Item("controls.csv", controls.as_csv(matrix), "Control matrix as a table"),
        Item("controls.json", controls.as_json(matrix), "Control matrix as data"),
        Item("runs.json", records.runs(assessment), "Runs: parameters, versions, hardware"),
        Item("compute.json", records.compute(total), "Hours, energy, carbon, cost and FLOP of all runs, with their basis"),
        Item(lineage.NAME, line.content, "What the model comes from, and compute over all of it"),
        Item(trace.NAME, trace.trace(assessment), "From every number to its file and row: `trainreport trace`"),
        Item(bom.CYCLONEDX, bom.cyclonedx(assessment), "The model as a CycloneDX 1.7 bill of materials, in kWh and tonnes"),
        Item(bom.SPDX, bom.spdx(assessment), "The model as an SPDX 3.0.1 document with the AI profile, in kWh"),
        Item("environment.json", records.environment(assessment.version), "Versions of the tools that judged"),
        Item("calibration.json", records.calibration(), "How often the checks were right when measured"),
        Item("methods.txt", records.methods(), "Method, limits and thresholds of each check"),
        *(Item(name, content, "Every number, one a row") for name, content in tables.items()),
    ]
    if assessment.redaction is not None:
        items.append(Item("redactions.json", records.redactions(assessment.redaction), "What was removed, and how often; not what it was"))
    if assessment.plan.source is not None:
        items.append(Item("plan.toml", assessment.plan.source.text.encode(), "The plan as agreed"))
    return items


def _standing(assessment: Assessment, locked: LockFile | None) -> Standing | None:
    source = assessment.plan.source
    return None if locked is None or source is None else lock.standing(source.text, locked.content, locked.file)


def _lock_items(locked: LockFile | None) -> list[Item]:
    if locked is None:
        return []
    signature = [] if locked.signature is None else [Item("plan.lock.json.sig", locked.signature, "Signature of the lock, raw ed25519")]
    return [Item("plan.lock.json", locked.content, "The plan's versions, locked in a chain"), *signature]


def _filed(one: SourceFile, name: str, paths: Sequence[Path]) -> Item:
    """Return a log as it was read; the digest decides which file that is."""
    for path in paths:
        root = path if path.is_dir() else path.parent
        for place in (root / one.path, root / one.path.removeprefix(f"{path.as_posix().rstrip('/')}/")):
            if place.is_file() and sha256_of_file(place) == one.sha256:
                return Item(name, place, f"Log {one.path}", one.sha256)
    raise InputError(f"{one.path}: the log is gone or changed since it was read; run the command again, or leave out --include-logs")


def _info(assessment: Assessment, key: Ed25519PrivateKey | None, line: Lineage) -> list[tuple[str, str]]:
    """Return the lines of ``bag-info.txt``; a date only where one is given, for the clock would change the bytes."""
    made = bag.made_at()
    signed = [] if key is None else [(bag.SIGNED_WITH, f"ed25519 {signing.fingerprint(key.public_key())}")]
    return [
        ("Bag-Software-Agent", f"trainreport {assessment.version}"),
        *([("Bagging-Date", made.date().isoformat())] if made else []),
        ("External-Description", f"Audit pack of training runs: {assessment.decision.headline}"),
        ("External-Identifier", f"sha256:{assessment.inputs_digest}"),
        *(("Parent-Pack", f"sha256:{digest}") for digest in line.parents),
        *signed,
    ]


def _predicate(assessment: Assessment, line: Lineage) -> dict[str, Any]:
    """Return the gate's outcome as an in-toto test result, with the runs and the decision beside it."""
    results = assessment.leading.criteria
    source, found = assessment.plan.source, assessment.decision
    return {
        "result": _RESULTS.get(found.verdict, "WARNED"),
        "configuration": [] if source is None else [{"name": "plan.toml", "digest": {"sha256": source.sha256}}],
        "passedTests": [one.id for one in results if one.state == "met"],
        "warnedTests": [one.id for one in results if one.state == "not-measured"],
        "failedTests": [one.id for one in results if one.state == "missed"],
        "trainreport": {
            "version": assessment.version,
            "inputs_digest": assessment.inputs_digest,
            "runs": [run.log.run.id for run in assessment.runs],
            "verdict": found.verdict.value,
            "next_step": found.next_step.value,
            "rule": found.rule,
            "parents": [{"sha256": digest} for digest in line.parents],
        },
    }
