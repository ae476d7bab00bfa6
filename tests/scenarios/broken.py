"""Numbers that broke down: rule 6, and stumbles that are none."""

from __future__ import annotations

import numpy as np
from scenarios.telling import Scenario, Trained, criterion, falls, length, level, line, noisy, plan, priced, rises, then

TARGET = criterion(threshold=0.90)
PLAN = plan(TARGET, length(4000))
BROKEN = {
    "train_loss": then(falls(1.2, 0.6, 28), level(np.nan, 12)),
    "val_loss": then(falls(1.2, 0.7, 28), level(np.nan, 12)),
    "val_acc": then(noisy(rises(0.60, 0.82, 28), 0.002), level(0.1, 12)),
}
DIVERGED = {
    "train_loss": then(falls(1.2, 0.4, 25), line(0.4, 1.6, 15)),
    "val_acc": then(noisy(rises(0.6, 0.82, 25), 0.002), line(0.8, 0.3, 15)),
}
STOP = {"rule": 6, "verdict": "no-go", "step": "tune"}

SCENARIOS = [
    Scenario(
        name="NaN at the end",
        story="From step 2,900 on every loss is NaN; it had reached 82 %.",
        runs=[Trained(curves=BROKEN)],
        plan=PLAN,
        **STOP,
        says=("stop this run", "resume from the checkpoint from step", "lower learning rate", "data of the last good steps"),
        never=("more gpu", "train longer"),
        fires=("TR106",),
    ),
    Scenario(
        name="NaN at the end, without a plan",
        story="No target is needed to see that this run cannot go on.",
        runs=[Trained(curves=BROKEN)],
        **STOP,
        says=("stop this run",),
        fires=("TR106", "TR507"),
    ),
    Scenario(
        name="NaN in the training loss, and nothing else logged",
        story="There is no validation, but the end is plain enough.",
        runs=[Trained(curves={"train_loss": BROKEN["train_loss"]})],
        **STOP,
        says=("stop this run", "start again"),
        fires=("TR106",),
    ),
    Scenario(
        name="NaN when the run had barely begun",
        story="Step 800 of 100,000, and the loss is gone: going on is no use.",
        runs=[
            Trained(curves={"train_loss": then(falls(2.3, 1.9, 5), level(np.nan, 3)), "val_acc": then(rises(0.2, 0.3, 5), level(0.1, 3))})
        ],
        plan=plan(TARGET, length(100_000)),
        **STOP,
        fires=("TR106",),
    ),
    Scenario(
        name="everything is infinite from the start",
        story="The agreed loss was never a number.",
        runs=[Trained(curves={"train_loss": level(np.inf, 20), "val_loss": level(np.nan, 20)})],
        plan=plan(criterion("loss", 0.4, comparator="<="), length(4000)),
        **STOP,
        says=("start again",),
        fires=("TR106",),
    ),
    Scenario(
        name="diverged",
        story="The training loss fell to 0.4 and climbed to 1.6; accuracy fell with it.",
        runs=[Trained(curves=DIVERGED)],
        plan=PLAN,
        **STOP,
        says=("stop this run; it has diverged", "lower learning rate"),
        never=("overfit", "memorised"),
        fires=("TR105",),
        silent=("TR101", "TR103"),
    ),
    Scenario(
        name="diverged, without a plan",
        story="The same, and no target.",
        runs=[Trained(curves=DIVERGED)],
        **STOP,
        says=("diverged",),
        fires=("TR105",),
    ),
    Scenario(
        name="diverged, and nothing was logged but the training loss",
        story="The training loss is back above where it began; no validation, no plan.",
        runs=[Trained(curves={"train_loss": DIVERGED["train_loss"]})],
        **STOP,
        says=("diverged", "start again"),
        fires=("TR105",),
    ),
    Scenario(
        name="diverged early in a long plan",
        story="At 4 % of the planned steps the loss is far above where it began.",
        runs=[Trained(curves=DIVERGED)],
        plan=plan(TARGET, length(100_000)),
        **STOP,
        says=("diverged",),
        never=("barely begun",),
        fires=("TR105",),
    ),
    Scenario(
        name="diverged and over budget",
        story="The money is gone as well; that is said.",
        runs=[Trained(curves=DIVERGED, hours=28)],
        plan=plan(TARGET, priced(money="20 EUR"), length(4000)),
        **STOP,
        says=("diverged", "40 % over"),
        fires=("TR105", "TR301"),
    ),
    Scenario(
        name="a NaN that recovered, target missed",
        story="One NaN at step 1,300; the run went on to stand still at 85 %.",
        runs=[
            Trained(
                curves={
                    "train_loss": np.where(np.arange(40) == 12, np.nan, falls(1.2, 0.3, 40)),
                    "val_acc": noisy(rises(0.60, 0.85, 40, settle=0.1), 0.002),
                }
            )
        ],
        plan=PLAN,
        rule=7,
        verdict="no-go",
        step="tune",
        says=("progress has ended",),
        never=("broke down",),
        fires=("TR104", "TR106"),
    ),
    Scenario(
        name="infinite gradients that loss scaling skips",
        story="Mixed precision skips a step now and then; the losses are sound.",
        runs=[
            Trained(
                curves={
                    "train_loss": falls(1.2, 0.2, 400),
                    "val_acc": noisy(rises(0.60, 0.93, 400), 0.002),
                    "grad_norm": np.where(np.arange(400) == 17, np.inf, noisy(level(1.5, 400), 0.1)),
                }
            )
        ],
        plan=plan(TARGET, length(40_000)),
        rule=3,
        verdict="go",
        step="proceed-to-evaluation",
        silent=("TR106", "TR110"),
    ),
]
