"""Learning trouble that ends below the target: rule 7."""

from __future__ import annotations

import numpy as np
from scenarios.telling import Scenario, Trained, criterion, falls, length, level, noisy, plan, priced, rises, steps

TARGET = criterion(threshold=0.90)
PLAN = plan(TARGET, length(4000))
FLAT = {"train_loss": falls(1.2, 0.3, 40), "train_acc": rises(0.6, 0.93, 40), "val_acc": noisy(rises(0.60, 0.85, 40, settle=0.1), 0.002)}
"""Progress ended early, at 85 %."""
RISING = {"train_loss": falls(1.2, 0.3, 40), "val_acc": noisy(np.linspace(0.60, 0.82, 40), 0.002)}
TUNE = {"rule": 7, "verdict": "no-go", "step": "tune"}
DATA = {**TUNE, "step": "return-to-data-preparation"}
NEVER = ("more gpu", "larger gpu")


def _many(curve, count):
    return (steps(count), list(curve))


def _flat(name, after, best, **params):
    return Trained(
        name=name, curves={**FLAT, "val_acc": noisy(rises(0.60, best, 40, settle=0.06), 0.0004, int(after))}, after=after, params=params
    )


SCENARIOS = [
    Scenario(
        name="not learning",
        story="Ten classes, and the loss stays at ln 10.",
        runs=[Trained(curves={"train_loss": noisy(level(2.303, 40), 0.003), "val_acc": noisy(level(0.10, 40), 0.004)})],
        plan=PLAN,
        **TUNE,
        says=("not learning", "learning rate", "labels"),
        never=NEVER,
        fires=("TR103",),
        silent=("TR101", "TR105"),
    ),
    Scenario(
        name="underfitting",
        story="Training and validation both stand still at 70 %.",
        runs=[
            Trained(
                curves={
                    "train_loss": falls(1.2, 0.8, 40, settle=0.1),
                    "train_acc": noisy(rises(0.5, 0.71, 40, settle=0.1), 0.002),
                    "val_acc": noisy(rises(0.5, 0.70, 40, settle=0.1), 0.002, 2),
                }
            )
        ],
        plan=PLAN,
        **TUNE,
        says=("underfits", "features", "larger model"),
        never=NEVER,
        fires=("TR102",),
        silent=("TR101",),
    ),
    Scenario(
        name="a plateau below the target",
        story="It has stood at 85 % since the first third, within a budget that goes on.",
        runs=[Trained(curves=FLAT)],
        plan=plan(TARGET, length(8000)),
        **TUNE,
        says=("stop waiting", "more of the same gains nothing"),
        never=(*NEVER, "let the run go on"),
        change="at least 90 %",
        fires=("TR104",),
    ),
    Scenario(
        name="a plateau above the target",
        story="It has stood at 93 % for half of the run: done, and good.",
        runs=[Trained(curves={**FLAT, "val_acc": noisy(rises(0.60, 0.93, 40, settle=0.1), 0.001)})],
        plan=PLAN,
        rule=3,
        verdict="go",
        step="proceed-to-evaluation",
        never=("stop waiting",),
        fires=("TR104",),
    ),
    Scenario(
        name="oscillating",
        story="Accuracy and loss swing by a third of their range every eight evaluations.",
        runs=[
            Trained(
                curves={
                    "train_loss": 0.8 + 0.25 * np.sin(np.arange(120) / 8 * 2 * np.pi) - 0.002 * np.arange(120),
                    "val_acc": noisy(0.75 - 0.08 * np.sin(np.arange(120) / 8 * 2 * np.pi) + 0.0004 * np.arange(120), 0.002),
                }
            )
        ],
        plan=plan(TARGET, length(12_000)),
        **TUNE,
        says=("swings", "lower the learning rate"),
        never=NEVER,
        fires=("TR108",),
    ),
    Scenario(
        name="exploding gradients",
        story="The norm of the gradient grows from 1 to 10,000 while accuracy stays at 70 %.",
        runs=[
            Trained(
                curves={
                    "train_loss": noisy(falls(1.2, 0.9, 100), 0.02),
                    "val_acc": noisy(rises(0.5, 0.70, 100), 0.004),
                    "grad_norm": noisy(np.logspace(0, 4, 100), 0.05),
                }
            )
        ],
        plan=plan(TARGET, length(10_000)),
        **TUNE,
        says=("gradients explode", "clip gradients"),
        never=NEVER,
        fires=("TR110",),
        silent=("TR106",),
    ),
    Scenario(
        name="vanishing gradients",
        story="The norm of the gradient falls to a hundred-millionth; the loss hardly moved.",
        runs=[
            Trained(
                curves={
                    "train_loss": noisy(falls(2.3, 2.0, 100), 0.005),
                    "val_acc": noisy(rises(0.10, 0.22, 100), 0.004),
                    "grad_norm": np.logspace(0, -8, 100),
                }
            )
        ],
        plan=plan(TARGET, length(10_000)),
        **TUNE,
        says=("gradients vanish", "initialisation"),
        never=NEVER,
        fires=("TR109",),
    ),
    Scenario(
        name="frozen layers on purpose",
        story="Fine-tuning with a frozen backbone: its layers have no gradient, and the head has stood still at 85 %.",
        runs=[
            Trained(
                curves={**FLAT, "grad_norm/backbone.0.weight": level(0.0, 40), "grad_norm/backbone.1.weight": level(0.0, 40),
                        "grad_norm/head.weight": noisy(level(1.0, 40), 0.05), "grad_norm/neck.weight": noisy(level(0.8, 40), 0.05, 2)}
            )
        ],
        plan=PLAN,
        **TUNE,
        says=("progress has ended",),
        never=(*NEVER, "vanish"),
        fires=("TR104",),
    ),
    Scenario(
        name="loss spikes, target missed",
        story="The training loss jumps up again and again; it ends at 85 %.",
        runs=[
            Trained(
                curves={
                    "train_loss": _many(
                        noisy(falls(1.2, 0.3, 400), 0.005) + np.where(np.isin(np.arange(400) % 60, (40, 41, 42)), 0.8, 0.0), 400
                    ),
                    "val_acc": noisy(np.linspace(0.60, 0.85, 400), 0.004),
                }
            )
        ],
        plan=plan(TARGET, length(40_000)),
        **TUNE,
        says=("spikes", "data of those steps"),
        never=NEVER,
        fires=("TR107",),
    ),
    Scenario(
        name="the baseline is not beaten",
        story="The simple model has 86 %; this one has stood at 85 %.",
        runs=[Trained(curves=FLAT)],
        plan=plan(criterion(threshold=0.90, baseline=0.86), length(4000)),
        **TUNE,
        says=("use the simple model", "86 %"),
        never=NEVER,
        fires=("TR403",),
    ),
    Scenario(
        name="out of memory",
        story="The run failed with CUDA out of memory at 75 % of its steps, short of the target.",
        runs=[
            Trained(curves={name: values[:30] for name, values in RISING.items()}, status="failed",
                    messages=("RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB",))
        ],
        plan=PLAN,
        **TUNE,
        says=("fit into memory", "halve the batch", "accumulate gradients", "mixed precision"),
        never=(*NEVER, "more memory"),
        fires=("TR221", "TR006"),
    ),
    Scenario(
        name="out of memory after two evaluations",
        story="It broke off before there was much to see, but what to do is plain.",
        runs=[
            Trained(curves={name: values[:2] for name, values in RISING.items()}, status="failed",
                    messages=("RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB",))
        ],
        plan=PLAN,
        **TUNE,
        says=("fit into memory", "halve the batch"),
        never=(*NEVER, "barely begun"),
        fires=("TR221",),
    ),
    Scenario(
        name="a plateau, and the money is gone",
        story="It has stood at 85 % for long, and cost 40 % more than agreed.",
        runs=[Trained(curves=FLAT, hours=28)],
        plan=plan(TARGET, priced(money="20 EUR"), length(4000)),
        **TUNE,
        says=("progress has ended", "40 % over", "review the costs"),
        never=NEVER,
        fires=("TR104", "TR301"),
    ),
    Scenario(
        name="out of memory before the first evaluation",
        story="The run failed at step 200 with CUDA out of memory; nothing was measured.",
        runs=[Trained(curves={"train_loss": [2.3, 2.25]}, status="failed",
                      messages=("RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB",))],
        plan=PLAN,
        rule=1,
        verdict="cannot-tell",
        step="collect-evidence",
        says=("halve the batch",),
        never=(*NEVER, "correct the name"),
        fires=("TR221",),
    ),
    Scenario(
        name="three different settings end at the same plateau",
        story="Learning rates a factor of ten apart all stand still at 85 %: it is not the setting.",
        runs=[_flat("low", 0, 0.848, learning_rate="0.0001"), _flat("mid", 12, 0.850, learning_rate="0.001"),
              _flat("high", 24, 0.849, learning_rate="0.01")],
        plan=PLAN,
        **DATA,
        says=("look at the data", "labels", "2 other settings"),
        never=NEVER,
        fires=("TR104",),
    ),
    Scenario(
        name="three seeds of one setting end at the same plateau",
        story="The same configuration three times: nothing else has been tried yet.",
        runs=[_flat("one", 0, 0.848, seed="1"), _flat("two", 12, 0.850, seed="2"), _flat("three", 24, 0.849, seed="3")],
        plan=PLAN,
        **TUNE,
        says=("progress has ended",),
        never=(*NEVER, "other settings"),
        fires=("TR104",),
    ),
]  # fmt: skip
