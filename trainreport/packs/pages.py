"""The pages of a pack that people read first: the index, the decision record, the model card."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trainreport.model import clock, words
from trainreport.packs import controls
from trainreport.packs.evidence import ledger
from trainreport.reports.gfm import escaped, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trainreport.model.decision import Assessment
    from trainreport.packs.bag import Item
    from trainreport.packs.controls import Control

__all__ = ["decision", "index", "model_card"]


def index(assessment: Assessment, matrix: Sequence[Control], items: Sequence[Item]) -> bytes:
    """Return the first page: what this is, every clause with the file to open, every file, how to check the pack."""
    found = assessment.decision
    files = [(f"[{one.name}]({one.name})", escaped(one.title)) for one in items if not one.name.startswith("logs/")]
    parts = [
        f"# Audit pack: {escaped(_title(assessment))}",
        f"**{escaped(found.headline)}**",
        f"Recommendation: {found.verdict.value}, next step {found.next_step.value}. A person decides: [decision.md](decision.md).",
        f"Made by trainreport {assessment.version} from {words.plural(len(assessment.runs), 'run')}; digest `{assessment.inputs_digest}`.",
        "## Where is the evidence for a clause?",
        "Find the clause, open the file beside it. The clause itself leads to what was found, word by word, and to what is missing.",
        controls.contents(matrix, "controls.md"),
        "## Where does a number come from?",
        _TRACE,
        "## Files",
        table(("File", "What it is"), files, (False, False)),
        "## How to check this pack without trainreport",
        _CHECK,
    ]
    return ("\n\n".join(parts) + "\n").encode()


def decision(assessment: Assessment) -> bytes:
    """Return the decision record, with room for the person who decides."""
    found = assessment.decision
    reasons = [(("for" if one.supports else "against"), escaped(one.ref), escaped(one.text)) for one in found.reasons]
    criteria = [
        (
            escaped(one.id),
            one.state,
            "–" if one.value is None else f"{one.value:.6g}",
            f"{one.comparator} {one.threshold:g}",
            escaped(one.reason),
        )
        for one in assessment.leading.criteria
    ]
    parts = [
        f"# Decision record: {escaped(_title(assessment))}",
        "## What trainreport recommends",
        f"**{escaped(found.headline)}**",
        escaped(found.lead),
        f"Verdict: {found.verdict.value}. Next step: {found.next_step.value}. Rule {found.rule} of the policy.",
        f"As of {clock.iso(assessment.as_of) or 'a time not stated in the logs'}.",
    ]
    parts += ["## Criteria", table(("Criterion", "State", "Value", "Target", "Why"), criteria, (False,) * 5)] if criteria else []
    parts += ["## Reasons", table(("For or against", "Rests on", "Reason"), reasons, (False,) * 3)] if reasons else []
    parts += ["## Conditions", "\n".join(f"- {escaped(one)}" for one in found.conditions)] if found.conditions else []
    parts += ["## What would change it", escaped(found.what_would_change_it), _SIGN]
    return ("\n\n".join(parts) + "\n").encode()


def model_card(assessment: Assessment) -> bytes:
    """Return the model card: Markdown with the metadata that Hugging Face reads; emissions in grams."""
    import yaml

    plan, total, best = assessment.plan, ledger(assessment), assessment.leading.best
    hardware = assessment.leading.log.run.hardware
    emissions: dict[str, Any] = {}
    if total.carbon_kg is not None:
        emissions = {
            "emissions": float(f"{total.carbon_kg * 1000:.6g}"),
            "source": f"trainreport {assessment.version}, {total.energy_basis} energy; {total.basis.get('carbon', 'basis not stated')}",
        }
        if hardware.gpu_model:
            emissions["hardware_used"] = f"{hardware.gpu_count or ''} {hardware.gpu_model}".strip()
    name = plan.model.get("name") or assessment.leading.log.run.name
    head = {"model_name": name, **({"co2_eq_emissions": emissions} if emissions else {})}
    rows = [
        ("Supplier", plan.model.get("supplier")),
        ("Objective", plan.objective),
        ("Best checkpoint", best and f"{best.series} ({best.phase}) {words.number(best.value, 4)} at step {best.step:,}"),
        ("Training time", None if total.wall_s is None else words.duration(total.wall_s)),
        ("GPU-hours", None if total.gpu_hours is None else words.number(total.gpu_hours)),
        ("Hardware", hardware.gpu_model),
        ("Energy", None if total.energy_kwh is None else f"{words.number(total.energy_kwh)} kWh, {total.energy_basis}"),
        ("Carbon", None if total.carbon_kg is None else f"{words.number(total.carbon_kg * 1000)} g CO2e"),
        ("Training compute", None if total.flop is None else f"{words.number(total.flop, 2)} FLOP"),
    ]
    parts = [
        f"---\n{yaml.safe_dump(head, sort_keys=False, allow_unicode=True, width=1_000_000)}---",
        f"# {escaped(name)}",
        "## Intended use",
        escaped(plan.model.get("intended_use") or "Not stated in the plan."),
        "## Training",
        table(("", ""), [(label, escaped(value or "not known")) for label, value in rows], (False, False)),
        "## Limits",
        "The card holds what the logs and the plan of the training say. Data, bias and use are for the supplier to describe.",
    ]
    return ("\n\n".join(parts) + "\n").encode()


def _title(assessment: Assessment) -> str:
    return assessment.plan.title or assessment.plan.model.get("name") or assessment.leading.log.run.name


_SIGN = """## What the responsible person decides

The recommendation above is made by a tool. The decision is made here.

| | |
|---|---|
| Decision | |
| Reasons, where it differs from the recommendation | |
| Name and role | |
| Date | |
| Signature | |
| Second signature (review) | |"""

_TRACE = """`trainreport trace PACK REF` leads from a number to the file, the row and the line of the plan that it was made from. REF is a
code such as `TR101`, `criteria/accuracy`, `ledger/cost`, or the number as it is printed, such as `"2.5 kWh"`. By hand: look the name up in
[trace.json](trace.json); its `rows` are rows of `frame.parquet`, and row 1 is line 2 of [frame.csv](frame.csv)."""

_CHECK = """In the folder of the pack:

```
sha256sum -c --quiet manifest-sha256.txt tagmanifest-sha256.txt
test "$(find data -type f | wc -l)" = "$(wc -l < manifest-sha256.txt)"
```

The first line finds files that changed or are missing, the second files that were added. Where the pack is signed, with the
signer's public key from another place than this pack:

```
openssl pkeyutl -verify -pubin -inkey pub.pem -rawin -in tagmanifest-sha256.txt -sigfile tagmanifest-sha256.txt.sig
```

Where `tagmanifest-sha256.txt.tsr` is there, with the certificate of the time-stamping authority (a bare token takes `-token_in` too):

```
openssl ts -verify -data tagmanifest-sha256.txt -in tagmanifest-sha256.txt.tsr -CAfile tsa-ca.pem
```

Where `data/plan.lock.json.sig` is there, with the public key of whoever locked the plan:

```
openssl pkeyutl -verify -pubin -inkey owner.pem -rawin -in data/plan.lock.json -sigfile data/plan.lock.json.sig
```

With trainreport: `trainreport verify PACK --key pub.pem`."""
