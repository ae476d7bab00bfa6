"""The target was met: rule 3, and what a go is tied to."""

from __future__ import annotations

import numpy as np
from scenarios.telling import (
    Scenario,
    Trained,
    accepted,
    criterion,
    falls,
    length,
    level,
    line,
    noisy,
    plan,
    priced,
    rises,
    steps,
    table,
    then,
)

ACCURACY = noisy(rises(0.60, 0.93, 40), 0.002)
GOOD = {
    "train_acc": rises(0.58, 0.95, 40),
    "val_acc": ACCURACY,
    "train_loss": falls(1.2, 0.2, 40),
    "val_loss": noisy(falls(1.2, 0.3, 40), 0.004),
}
TARGET = criterion(threshold=0.90)
PLAN = plan(TARGET, length(4000))
DIPPED = then(rises(0.60, 0.93, 20), line(0.93, 0.905, 20))
GO = {"rule": 3, "verdict": "go", "step": "proceed-to-evaluation"}
CONDITIONS = {**GO, "verdict": "go-with-conditions"}
NO_MORE = ("more gpu", "train longer")

SCENARIOS = [
    Scenario(
        name="all is well",
        story="A well recorded run within its budget reached 93 %.",
        runs=[Trained(curves=GOOD, gpus={"gpu0": noisy(level(0.85, 400), 0.05)})],
        plan=plan(TARGET, priced(money="20 EUR", deadline="2026-07-01T00:00:00Z"), length(4000)),
        **GO,
        says=("take this model to evaluation", "93 %", "test set"),
        never=("condition", "budget"),
        change="test set result short of the target (accuracy of at least 90 %)",
        silent=("TR101", "TR104", "TR114", "TR201", "TR301"),
    ),
    Scenario(
        name="met within the tolerance that was agreed",
        story="It reached a little over 89 %; 90 % less one point was agreed.",
        runs=[Trained(curves={**GOOD, "val_acc": ACCURACY - 0.036})],
        plan=plan(criterion(threshold=0.90, tolerance=0.01), length(4000)),
        **GO,
        says=("take this model to evaluation", "at least 90 % was agreed, with a tolerance of 1 %"),
    ),
    Scenario(
        name="met, but over budget",
        story="The model is good enough and the money is 40 % over: go, and agree on the overrun.",
        runs=[Trained(curves=GOOD, hours=28)],
        plan=plan(TARGET, priced(money="20 EUR"), length(4000)),
        **CONDITIONS,
        says=("agree on the overrun", "28.00 EUR of 20.00 EUR", "40 % over", "on one condition"),
        never=("hold further runs",),
        fires=("TR301",),
    ),
    Scenario(
        name="met after the deadline",
        story="It took until after the agreed date, and is good.",
        runs=[Trained(curves=GOOD, hours=60)],
        plan=plan(TARGET, table("budget", deadline="2026-06-10T00:00:00Z"), length(4000)),
        **CONDITIONS,
        says=("overrun", "deadline", "on one condition"),
        fires=("TR303",),
    ),
    Scenario(
        name="met with more carbon than agreed",
        story="400 W for ten hours on a dirty grid.",
        runs=[Trained(curves=GOOD, gpus={"gpu0": level(0.9, 400)})],
        plan=plan(TARGET, table("rates", carbon_g_per_kwh=500), table("budget", carbon_kg=0.5), length(4000)),
        **CONDITIONS,
        says=("overrun", "carbon", "on one condition"),
        fires=("TR306",),
    ),
    Scenario(
        name="criteria agreed after the run began",
        story="The target was registered two days into training: it may have been fitted to the result.",
        runs=[Trained(curves=GOOD)],
        plan=plan(TARGET, length(4000), registered="2026-06-11T08:00:00Z"),
        **CONDITIONS,
        says=("on one condition", "criteria"),
        fires=("TR501",),
    ),
    Scenario(
        name="nothing tells how it was made",
        story="Neither code nor data version nor seed were logged: it cannot be made again.",
        runs=[Trained(curves=GOOD, records={})],
        plan=PLAN,
        **CONDITIONS,
        says=("write down the code version, the data version and the seed", "on one condition"),
        fires=("TR503", "TR504", "TR505"),
    ),
    Scenario(
        name="only the seed is missing",
        story="One gap in the records alone is a minor matter.",
        runs=[Trained(curves=GOOD, records={"code_version": "3f2a91c", "data_version": "v4"})],
        plan=PLAN,
        **GO,
        fires=("TR505",),
    ),
    Scenario(
        name="the best checkpoint is not the last, and nothing shows that it was kept",
        story="93 % at step 2,000, 90.5 % in the end; no checkpoint is mentioned anywhere.",
        runs=[Trained(curves={**GOOD, "val_acc": noisy(DIPPED, 0.001)}, saved={})],
        plan=plan(criterion(threshold=0.92), length(4000)),
        **CONDITIONS,
        says=("show that the checkpoint from step", "exists"),
        fires=("TR506",),
    ),
    Scenario(
        name="one lucky evaluation",
        story="A single 91 % stands out of a run that hovers at 86 %.",
        runs=[Trained(curves={**GOOD, "val_acc": np.where(np.arange(40) == 30, 0.91, noisy(rises(0.60, 0.86, 40), 0.002))})],
        plan=PLAN,
        **CONDITIONS,
        says=("confirm on the test set", "a single evaluation met the target"),
        never=NO_MORE,
    ),
    Scenario(
        name="the best of three seeds",
        story="Three seeds reached 91 to 93 %; taking the best of them is partly luck.",
        runs=[
            Trained(name=f"seed-{seed}", curves={**GOOD, "val_acc": noisy(rises(0.6, best, 40), 0.002, seed)}, after=12.0 * seed,
                    params={"seed": str(seed)})
            for seed, best in ((1, 0.915), (2, 0.93), (3, 0.92))
        ],
        plan=PLAN,
        **CONDITIONS,
        says=("best of 3 runs", "confirm on the test set"),
    ),
    Scenario(
        name="the target was met before the numbers broke",
        story="92 % at step 3,000, then the loss became NaN: the checkpoint from before is sound.",
        runs=[
            Trained(
                curves={
                    **GOOD,
                    "train_loss": then(falls(1.2, 0.2, 32), level(np.nan, 8)),
                    "val_loss": then(falls(1.2, 0.3, 32), level(np.nan, 8)),
                    "val_acc": then(noisy(rises(0.60, 0.92, 32), 0.001), level(0.1, 8)),
                }
            )
        ],
        plan=PLAN,
        **CONDITIONS,
        says=("use the checkpoint from step", "not the last one"),
        never=("restart", "lower learning rate"),
        fires=("TR106",),
    ),
    Scenario(
        name="the target was met before the run diverged",
        story="92 % at step 2,400; then the training loss climbed back to where it began.",
        runs=[
            Trained(
                curves={
                    "train_loss": then(falls(1.2, 0.2, 24), line(0.2, 1.3, 16)),
                    "val_acc": then(noisy(rises(0.60, 0.92, 24), 0.001), line(0.9, 0.4, 16)),
                }
            )
        ],
        plan=PLAN,
        **CONDITIONS,
        says=("use the checkpoint from step", "not the last one"),
        never=("lower the learning rate",),
        fires=("TR105",),
    ),
    Scenario(
        name="the target was met at the last evaluation before the numbers broke",
        story="92 % at step 3,200; then the training loss became NaN, and nothing was evaluated any more.",
        runs=[
            Trained(
                curves={
                    "train_loss": then(falls(1.2, 0.2, 32), level(np.nan, 8)),
                    "val_acc": (steps(32), noisy(rises(0.60, 0.92, 32), 0.001)),
                }
            )
        ],
        plan=PLAN,
        **CONDITIONS,
        says=("use the checkpoint from step", "the run broke down after that", "on one condition"),
        never=("recovered", "restart"),
        fires=("TR106",),
    ),
    Scenario(
        name="a restart after a crash",
        story="The machine went down at step 2,000; the run went on from step 1,600 and reached 93 %.",
        runs=[
            Trained(
                curves={name: values[:20] for name, values in GOOD.items()},
                hours=5,
                status="unknown",
                again=Trained(curves={name: (steps(40)[16:], values[16:]) for name, values in GOOD.items()}, hours=6),
            )
        ],
        plan=PLAN,
        **GO,
        says=("take this model to evaluation", "93 %"),
        never=("restart",),
        fires=("TR002",),
    ),
    Scenario(
        name="judged by the mean of the last tenth",
        story="The plan wants the last tenth to hold 90 % on average; it holds 93.",
        runs=[Trained(curves=GOOD)],
        plan=plan(criterion(threshold=0.90, statistic="mean_last"), length(4000)),
        **GO,
        says=("93 %", "at least 90 %"),
    ),
    Scenario(
        name="the run failed after it had met the target",
        story="The job crashed at 90 % of its steps; what it had reached by then is enough.",
        runs=[Trained(curves=GOOD, status="failed")],
        plan=plan(TARGET, length(4500)),
        **CONDITIONS,
        says=("why the run broke off",),
        never=("resume",),
        fires=("TR006",),
    ),
    Scenario(
        name="good model, waiting GPU",
        story="93 % on a GPU that was busy a fifth of the time: go, and mend the pipeline before the next run.",
        runs=[Trained(curves=GOOD, gpus={"gpu0": noisy(level(0.20, 400), 0.03)})],
        plan=PLAN,
        **CONDITIONS,
        says=("prepare data ahead of the gpu", "on one condition"),
        never=NO_MORE,
        fires=("TR201",),
    ),
    Scenario(
        name="the waiting GPU was accepted",
        story="The owner knows of the low utilization and accepted it until the end of the year.",
        runs=[Trained(curves=GOOD, gpus={"gpu0": noisy(level(0.20, 400), 0.03)})],
        plan=plan(TARGET, length(4000), accepted("TR201")),
        **GO,
        never=("prepare data",),
        fires=("TR201",),
    ),
    Scenario(
        name="the acceptance has ended",
        story="The low utilization was accepted until the end of May; the run is from June.",
        runs=[Trained(curves=GOOD, gpus={"gpu0": noisy(level(0.20, 400), 0.03)})],
        plan=plan(TARGET, length(4000), accepted("TR201", until="2026-05-31")),
        **CONDITIONS,
        says=("prepare data ahead of the gpu",),
        fires=("TR201",),
    ),
    Scenario(
        name="an optional criterion is missed",
        story="Accuracy is met; the F1 that would have been nice is not.",
        runs=[Trained(curves={**GOOD, "val_f1": ACCURACY - 0.1})],
        plan=plan(TARGET, criterion("f1", 0.90, mandatory=False), length(4000)),
        **GO,
        says=("take this model to evaluation",),
    ),
    Scenario(
        name="an optional criterion was not measured",
        story="Accuracy is met; nobody logged the optional recall.",
        runs=[Trained(curves=GOOD)],
        plan=plan(TARGET, criterion("recall", 0.90, mandatory=False), length(4000)),
        **GO,
        says=("take this model to evaluation",),
    ),
    Scenario(
        name="two criteria that meet at one checkpoint",
        story="Accuracy is best at the end, recall in the middle; at step 3,300 both are met, and recall falls from there.",
        runs=[Trained(curves={**GOOD, "val_acc": line(0.60, 0.95, 40), "val_recall": then(line(0.7, 0.90, 25), line(0.90, 0.80, 15))})],
        plan=plan(criterion(threshold=0.84), criterion("recall", 0.85), length(4000)),
        **CONDITIONS,
        says=("use the checkpoint from step 3,300", "not the last one"),
        never=("checkpoint from step 4,000",),
        fires=("TR101",),
    ),
    Scenario(
        name="threshold in percent, logged as a share",
        story="The plan says 90 percent, the log 0.93.",
        runs=[Trained(curves=GOOD)],
        plan=plan(table("[criteria]", id="accuracy", series="accuracy", threshold=90, unit="percent"), length(4000)),
        **GO,
        says=("93 %", "90 %"),
    ),
    Scenario(
        name="threshold as a share, logged in percent",
        story="The plan says 0.90, the log 93.",
        runs=[Trained(curves={"train_acc": 100 * GOOD["train_acc"], "val_acc": 100 * ACCURACY, "train_loss": GOOD["train_loss"]})],
        plan=PLAN,
        **GO,
        says=("93 %", "90 %"),
        never=("9,300", "0.93"),
    ),
    Scenario(
        name="an error that has to be low",
        story="The error of the forecast, RMSE, fell to 3.9 kWh; at most 4.2 was agreed.",
        runs=[Trained(curves={"train_loss": falls(60, 12, 40), "val_rmse": noisy(falls(9.0, 3.9, 40), 0.02)})],
        plan=plan(criterion("rmse", 4.2, comparator="<="), length(4000)),
        **GO,
        says=("at most 4.2 was agreed", "validation rmse"),
    ),
    Scenario(
        name="judged at the end, and the end is good",
        story="The plan wants the last value; 93 % stands there.",
        runs=[Trained(curves=GOOD)],
        plan=plan(criterion(threshold=0.90, statistic="final"), length(4000)),
        **GO,
    ),
    Scenario(
        name="an isolated NaN that recovered",
        story="One step of the training loss was NaN; the run went on and reached 93 %.",
        runs=[Trained(curves={**GOOD, "train_loss": np.where(np.arange(40) == 12, np.nan, falls(1.2, 0.2, 40))})],
        plan=PLAN,
        **CONDITIONS,
        says=("on one condition",),
        never=("not the last one", "restart"),
        fires=("TR106",),
    ),
]  # fmt: skip
