"""Puts a pack together: every document from one assessment, then the bag around them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trainreport import reports
from trainreport.errors import InputError
from trainreport.model.decision import Verdict
from trainreport.model.digest import sha256_of_file
from trainreport.packs import bag, controls, crate, evidence, lock, pages, records, signing
from trainreport.packs.bag import Item
from trainreport.packs.names import filed_as

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    from trainreport.model.decision import Assessment
    from trainreport.model.ledger import Ledger
    from trainreport.model.run import SourceFile
    from trainreport.packs.controls import Control
    from trainreport.packs.lock import Standing

__all__ = ["create"]

_RESULTS = {Verdict.GO: "PASSED", Verdict.NO_GO: "FAILED"}


def create(
    assessment: Assessment,
    tables: Mapping[str, bytes],
    target: Path,
    *,
    paths: Sequence[Path],
    plan_file: Path | None = None,
    key: Ed25519PrivateKey | None = None,
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
    plan_file : Path, optional
        The plan's file; a lock file beside it is filed too.
    key : Ed25519PrivateKey, optional
        Signs the pack.
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
    """
    bag.may_write(target, replace=replace)
    logs = records.log_files(assessment)
    filed = {path: f"logs/{name}" for path, name in filed_as(one.path for one in logs).items()} if include_logs else {}
    locked = _lock_file(plan_file)
    total = evidence.ledger(assessment)
    matrix = controls.judged(evidence.gathered(assessment, _standing(assessment, locked), logs_included=include_logs), total.flop)
    items = _documents(assessment, tables, matrix, total)
    if locked is not None:
        items.append(Item("plan.lock.json", locked, "The plan's versions, locked in a chain"))
    items += [Item("logs.csv", records.logs_table(logs, filed), "Digest of every log, and where it lies")]
    items += [_filed(one, filed[one.path], paths) for one in logs if one.path in filed]
    items.sort(key=lambda one: one.name)
    items.insert(0, Item("index.md", pages.index(assessment, matrix, items), "Start here: every clause, every file, how to check"))
    items.append(Item(crate.NAME, crate.metadata(assessment, items, logs, filed), "The pack as an RO-Crate"))
    sign = None if key is None else lambda tags: signing.signatures(key, tags, _predicate(assessment))
    root = f"trainreport-{assessment.inputs_digest[:12]}"
    bag.write(target, root, items, _info(assessment, key), sign, replace=replace)
    return len(items)


def _documents(assessment: Assessment, tables: Mapping[str, bytes], matrix: Sequence[Control], total: Ledger) -> list[Item]:
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
        Item("environment.json", records.environment(assessment.version), "Versions of the tools that judged"),
        Item("calibration.json", records.calibration(), "How often the checks were right when measured"),
        Item("methods.txt", records.methods(), "Method, limits and thresholds of each check"),
        *(Item(name, content, "Every number, one a row") for name, content in tables.items()),
    ]
    if assessment.plan.source is not None:
        items.append(Item("plan.toml", assessment.plan.source.text.encode(), "The plan as agreed"))
    return items


def _standing(assessment: Assessment, locked: bytes | None) -> Standing | None:
    source = assessment.plan.source
    return None if locked is None or source is None else lock.standing(source.text, locked, lock.beside(source.file))


def _lock_file(plan_file: Path | None) -> bytes | None:
    if plan_file is None:
        return None
    file = plan_file.with_name(lock.beside(plan_file.name))
    return file.read_bytes() if file.is_file() else None


def _filed(one: SourceFile, name: str, paths: Sequence[Path]) -> Item:
    """Return a log as it was read; the digest decides which file that is."""
    for path in paths:
        root = path if path.is_dir() else path.parent
        for place in (root / one.path, root / one.path.removeprefix(f"{path.as_posix().rstrip('/')}/")):
            if place.is_file() and sha256_of_file(place) == one.sha256:
                return Item(name, place, f"Log {one.path}", one.sha256)
    raise InputError(f"{one.path}: the log is gone or changed since it was read; run the command again, or leave out --include-logs")


def _info(assessment: Assessment, key: Ed25519PrivateKey | None) -> list[tuple[str, str]]:
    """Return the lines of ``bag-info.txt``; a date only where one is given, for the clock would change the bytes."""
    made = bag.made_at()
    signed = [] if key is None else [(bag.SIGNED_WITH, f"ed25519 {signing.fingerprint(key.public_key())}")]
    return [
        ("Bag-Software-Agent", f"trainreport {assessment.version}"),
        *([("Bagging-Date", made.date().isoformat())] if made else []),
        ("External-Description", f"Audit pack of training runs: {assessment.decision.headline}"),
        ("External-Identifier", f"sha256:{assessment.inputs_digest}"),
        *signed,
    ]


def _predicate(assessment: Assessment) -> dict[str, Any]:
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
        },
    }
