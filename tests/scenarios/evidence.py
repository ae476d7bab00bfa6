"""Too little to judge by, or too good to believe: rules 1 and 2; and nothing agreed, rule 11."""

from __future__ import annotations

from scenarios.telling import Scenario, Trained, accepted, criterion, falls, length, level, noisy, plan, priced, rises, table

TARGET = criterion(threshold=0.90)
GOOD = {
    "train_acc": rises(0.58, 0.95, 40),
    "val_acc": noisy(rises(0.60, 0.93, 40), 0.002),
    "train_loss": falls(1.2, 0.2, 40),
    "val_loss": noisy(falls(1.2, 0.3, 40), 0.004),
}
BUSY = noisy(level(0.85, 400), 0.05)
COLLECT = {"rule": 1, "verdict": "cannot-tell", "step": "collect-evidence"}
CONTINUE = {**COLLECT, "step": "continue-training"}
LEAK = {"rule": 2, "verdict": "cannot-tell", "step": "return-to-data-preparation"}
OPEN = {"rule": 11, "verdict": "cannot-tell", "step": "collect-evidence"}

SCENARIOS = [
    Scenario(
        name="only a hardware log",
        story="A log of nvidia-smi, and nothing of the training.",
        runs=[Trained(curves={}, gpus={"gpu0": BUSY})],
        plan=plan(TARGET),
        **COLLECT,
        says=("only the hardware was logged", "training log"),
    ),
    Scenario(
        name="only a hardware log, and no plan",
        story="The same without a target.",
        runs=[Trained(curves={}, gpus={"gpu0": BUSY})],
        **COLLECT,
        says=("only the hardware was logged",),
        fires=("TR507",),
    ),
    Scenario(
        name="only training metrics",
        story="The training loss fell nicely; nothing was measured on data that the model had not seen.",
        runs=[Trained(curves={"train_loss": GOOD["train_loss"], "train_acc": GOOD["train_acc"]})],
        plan=plan(TARGET, length(4000)),
        **COLLECT,
        says=("validation accuracy", "at least 90 %"),
        fires=("TR004",),
    ),
    Scenario(
        name="only training metrics, and no plan",
        story="The same without a target.",
        runs=[Trained(curves={"train_loss": GOOD["train_loss"]})],
        **COLLECT,
        says=("not seen", "validation data"),
        change="not trained on",
    ),
    Scenario(
        name="the criterion is misspelt",
        story="The plan asks for acuracy; accuracy was logged.",
        runs=[Trained(curves=GOOD)],
        plan=plan(criterion("acuracy", 0.90), length(4000)),
        **COLLECT,
        says=("did you mean 'accuracy'", "correct the name in the plan"),
    ),
    Scenario(
        name="one of two mandatory criteria was never measured",
        story="Accuracy is met, recall was agreed and not logged.",
        runs=[Trained(curves=GOOD)],
        plan=plan(TARGET, criterion("recall", 0.80), length(4000)),
        **COLLECT,
        says=("recall of at least 80 %", "log what is missing"),
        change="recall",
    ),
    Scenario(
        name="one criterion missed, another not measured",
        story="Accuracy stands still at 85 %, and recall was not logged: a miss is a miss.",
        runs=[Trained(curves={**GOOD, "val_acc": noisy(rises(0.6, 0.85, 40, settle=0.1), 0.002)})],
        plan=plan(TARGET, criterion("recall", 0.80), length(4000)),
        rule=7,
        verdict="no-go",
        step="tune",
        change="recall",
    ),
    Scenario(
        name="nobody knows whether it is percent",
        story="91.0 was logged, the threshold is 0.90, and the plan names no unit.",
        runs=[Trained(curves={"val_acc": 100 * GOOD["val_acc"], "train_loss": GOOD["train_loss"]})],
        plan=plan(table("[criteria]", id="accuracy", series="accuracy", threshold=0.90), length(4000)),
        **COLLECT,
        says=('unit = "share"', "percent"),
        never=("correct the name",),
    ),
    Scenario(
        name="two evaluations",
        story="A finished run was evaluated twice, and neither meets the target.",
        runs=[Trained(curves={"train_loss": GOOD["train_loss"], "val_acc": ([1000, 4000], [0.70, 0.80])})],
        plan=plan(TARGET, length(4000)),
        **COLLECT,
        says=("2 evaluations", "5", "more of its checkpoints"),
        never=("let the run go on",),
        change="at least 5 evaluations",
    ),
    Scenario(
        name="a single final measurement below the target",
        story="The model was measured once, when it was done: 84 %.",
        runs=[Trained(curves={"train_loss": GOOD["train_loss"], "val_acc": ([4000], [0.84])})],
        plan=plan(TARGET, length(4000)),
        rule=10,
        verdict="no-go",
        step="tune",
        says=("84 %", "90 %"),
        change="at least 90 %",
    ),
    Scenario(
        name="barely begun",
        story="Step 600 of 100,000; it rises as it should.",
        runs=[Trained(curves={"train_loss": falls(2.3, 1.9, 6), "val_acc": rises(0.2, 0.4, 6)}, status="running", hours=0.5)],
        plan=plan(TARGET, priced(money="500 EUR"), length(100_000)),
        **CONTINUE,
        says=("barely begun", "step 600 of 100,000"),
        never=("collect",),
    ),
    Scenario(
        name="barely begun, by its own parameters",
        story="Step 200 of the 5,000 that its parameters name.",
        runs=[Trained(curves={"train_loss": falls(2.3, 1.9, 2), "val_acc": rises(0.2, 0.4, 2)}, params={"max_steps": "5000"})],
        plan=plan(TARGET),
        **CONTINUE,
        says=("barely begun",),
    ),
    Scenario(
        name="barely begun, and the money is gone",
        story="The run did 6 % of its steps and took the whole budget: the plan does not go on.",
        runs=[Trained(curves={"train_loss": falls(2.3, 1.9, 6), "val_acc": rises(0.2, 0.4, 6)}, hours=30)],
        plan=plan(TARGET, priced(money="20 EUR"), length(10_000)),
        **COLLECT,
        says=("50 % over", "agree on a new limit"),
        never=("let the run go on",),
    ),
    Scenario(
        name="crashed as soon as it had begun",
        story="It failed after three evaluations; why is not said.",
        runs=[Trained(curves={"train_loss": falls(2.3, 1.9, 3), "val_acc": rises(0.2, 0.4, 3)}, status="failed")],
        plan=plan(TARGET, length(4000)),
        **CONTINUE,
        says=("broke off", "resume"),
        never=("let the run go on",),
        fires=("TR006",),
    ),
    Scenario(
        name="validation starts at 99.8 %, target met",
        story="At the first evaluation it knows everything: the answer leaks.",
        runs=[
            Trained(
                curves={"train_acc": noisy(rises(0.90, 0.985, 40), 0.001), "val_acc": noisy(level(0.998, 40), 0.0003),
                        "train_loss": falls(0.4, 0.05, 40)}
            )
        ],
        plan=plan(TARGET, length(4000)),
        **LEAK,
        says=("check the validation data", "leak"),
        never=("take",),
        change="no leak",
        fires=("TR114",),
    ),
    Scenario(
        name="validation is the training data",
        story="Both curves are the same, value by value; the target is missed besides.",
        runs=[Trained(curves={"train_acc": GOOD["val_acc"] - 0.1, "val_acc": GOOD["val_acc"] - 0.1, "train_loss": GOOD["train_loss"]})],
        plan=plan(TARGET, length(4000)),
        **LEAK,
        says=("same",),
        fires=("TR114",),
    ),
    Scenario(
        name="the test set is easier than validation",
        story="Test accuracy is 97 %, validation 88: one of the two is not what it seems.",
        runs=[Trained(curves={**GOOD, "val_acc": GOOD["val_acc"] - 0.05, "test_acc": noisy(rises(0.70, 0.97, 40), 0.002, 3)})],
        plan=plan(TARGET, length(4000)),
        **LEAK,
        fires=("TR114",),
    ),
    Scenario(
        name="the suspicion was looked into and accepted",
        story="The data lead found no leak: an easy task. The owner signed for it.",
        runs=[
            Trained(
                curves={"train_acc": noisy(rises(0.90, 0.985, 40), 0.001), "val_acc": noisy(level(0.998, 40), 0.0003),
                        "train_loss": falls(0.4, 0.05, 40)}
            )
        ],
        plan=plan(TARGET, length(4000), accepted("TR114")),
        rule=3,
        verdict="go",
        step="proceed-to-evaluation",
        fires=("TR114",),
    ),
    Scenario(
        name="a good run without a plan",
        story="93 %, and nobody said what would be enough.",
        runs=[Trained(curves=GOOD)],
        **OPEN,
        says=("agree on a target", "no acceptance criteria were agreed"),
        change="acceptance criterion",
        fires=("TR507",),
    ),
    Scenario(
        name="a budget, but no criterion",
        story="The money was agreed, the target was not.",
        runs=[Trained(curves=GOOD, hours=28)],
        plan=plan(priced(money="20 EUR"), length(4000)),
        **OPEN,
        says=("agree on a target", "40 % over"),
        fires=("TR301",),
    ),
    Scenario(
        name="only an optional criterion",
        story="The one criterion of the plan binds nobody.",
        runs=[Trained(curves=GOOD)],
        plan=plan(criterion(threshold=0.90, mandatory=False), length(4000)),
        **OPEN,
        says=("mandatory",),
        never=("no target was agreed", "no acceptance criteria were agreed", "plan new"),
    ),
    Scenario(
        name="not learning, and no plan",
        story="Nothing can be refused without a target, but the cause comes first.",
        runs=[Trained(curves={"train_loss": noisy(level(2.303, 40), 0.002), "val_loss": noisy(level(2.303, 40), 0.002, 2)})],
        rule=11,
        verdict="cannot-tell",
        step="tune",
        says=("learning rate",),
        fires=("TR103",),
    ),
    Scenario(
        name="evaluated too seldom to judge",
        story="Three evaluations in a run that was killed at 60 % of its steps.",
        runs=[Trained(curves={"train_loss": falls(1.2, 0.5, 24), "val_acc": ([800, 1600, 2400], [0.6, 0.7, 0.75])}, status="killed")],
        plan=plan(TARGET, length(4000)),
        **COLLECT,
        says=("3 evaluations",),
        fires=("TR116",),
    ),
]  # fmt: skip
