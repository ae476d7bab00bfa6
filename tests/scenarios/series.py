"""Several runs: rule 4, the best of many, and runs that tell on each other."""

from __future__ import annotations

import numpy as np
from scenarios.telling import Scenario, Trained, accepted, criterion, falls, length, level, noisy, plan, priced, rises, table, then

TARGET = criterion(threshold=0.90)
PAUSE = {"rule": 4, "verdict": "no-go", "step": "pause"}
NEVER = ("more gpu", "train longer", "go on")
REVISITED = table("history", data_revisited=True)


def _tuned(*bests, hours=10.0):
    """Return runs one after another, each with another learning rate, that end at these values."""
    return [
        Trained(
            name=f"run-{number}",
            curves={
                "train_loss": falls(1.2, 0.4, 40),
                "val_acc": noisy(rises(0.60, best, 40, settle=0.12), 0.004, number),
            },
            hours=hours,
            after=12.0 * number,
            params={"learning_rate": f"{0.0001 * 2**number:g}"},
        )
        for number, best in enumerate(bests)
    ]


STANDING = _tuned(0.842, 0.848, 0.845, 0.847, 0.844, 0.846, 0.843)
"""Seven tuned runs; the second was as good as any."""

SCENARIOS = [
    Scenario(
        name="seven tuned runs without gain",
        story="Each with another learning rate, all at 84 to 85 %; five sixths of the money came after the best had settled.",
        runs=STANDING,
        plan=plan(TARGET, priced(money="100 EUR"), length(4000)),
        **PAUSE,
        says=("pause the series", "what was spent is no reason to spend more", "start with the data", "start no further run"),
        never=NEVER,
        change="gains beyond chance",
        fires=("TR401",),
    ),
    Scenario(
        name="seven runs without gain, and the data was revisited",
        story="The data was cleaned before this series began; now the requirement is in question.",
        runs=STANDING,
        plan=plan(TARGET, length(4000), REVISITED),
        **{**PAUSE, "step": "revisit-business-requirements"},
        says=("data was revisited already", "another target"),
        never=NEVER,
        fires=("TR401",),
    ),
    Scenario(
        name="seven runs without gain, no better than the simple model",
        story="The data was revisited, and the simple model has 86 %: nothing promising is left.",
        runs=STANDING,
        plan=plan(criterion(threshold=0.90, baseline=0.87), length(4000), REVISITED),
        **{**PAUSE, "step": "stop"},
        says=("stop the series", "simple model"),
        never=NEVER,
        fires=("TR401", "TR403"),
    ),
    Scenario(
        name="seven runs without gain, and no target",
        story="Also without criteria a series that gains nothing is paused.",
        runs=STANDING,
        plan=plan(length(4000)),
        **PAUSE,
        says=("pause the series",),
        never=NEVER,
        fires=("TR401",),
    ),
    Scenario(
        name="seven runs without gain, over budget",
        story="The same, and the money is 40 % over.",
        runs=STANDING,
        plan=plan(TARGET, priced(money="50 EUR"), length(4000)),
        **PAUSE,
        says=("40 % over", "no reason to spend more"),
        never=NEVER,
        fires=("TR401",),
    ),
    Scenario(
        name="a series that still gains",
        story="Each run is two points better than the one before: that is no standstill.",
        runs=_tuned(0.74, 0.76, 0.78, 0.80, 0.82, 0.84, 0.86),
        plan=plan(TARGET, length(4000)),
        rule=7,
        verdict="no-go",
        step="return-to-data-preparation",
        silent=("TR401",),
    ),
    Scenario(
        name="the owner accepts a series without gain",
        story="The series is a study of seeds and settings; the owner signed for it.",
        runs=STANDING,
        plan=plan(TARGET, length(4000), accepted("TR401")),
        rule=7,
        verdict="no-go",
        step="return-to-data-preparation",
        never=("pause the series",),
        fires=("TR401",),
    ),
    Scenario(
        name="the last of seven runs meets the target",
        story="Six runs stood at 84 %, the seventh reached 92: a go, confirmed on the test set.",
        runs=[*STANDING[:6], *_tuned(*[0.84] * 6, 0.92)[6:]],
        plan=plan(TARGET, length(4000)),
        rule=3,
        verdict="go-with-conditions",
        step="proceed-to-evaluation",
        says=("best of 7 runs", "confirm on the test set"),
        never=NEVER,
        silent=("TR401",),
    ),
    Scenario(
        name="one of two runs broke down",
        story="The first ended in NaN, the second reached 93 %: the good one decides.",
        runs=[
            Trained(name="first", curves={"train_loss": then(falls(1.2, 0.5, 20), level(np.nan, 20)),
                                          "val_acc": then(rises(0.6, 0.8, 20), level(0.1, 20))}),
            Trained(name="second", curves={"train_loss": falls(1.2, 0.2, 40), "val_acc": noisy(rises(0.6, 0.93, 40), 0.002)}, after=12),
        ],
        plan=plan(TARGET, length(4000)),
        rule=3,
        verdict="go",
        step="proceed-to-evaluation",
        says=("93 %",),
        never=("nan", "stop this run"),
    ),
    Scenario(
        name="the budget covers all runs",
        story="Two runs of 10 EUR each; 15 were agreed for both. The second is good.",
        runs=_tuned(0.84, 0.93),
        plan=plan(TARGET, priced(money="15 EUR"), length(4000)),
        rule=3,
        verdict="go-with-conditions",
        step="proceed-to-evaluation",
        says=("20.00 EUR of 15.00 EUR", "33 % over", "on one condition"),
        never=NEVER,
    ),
]  # fmt: skip
