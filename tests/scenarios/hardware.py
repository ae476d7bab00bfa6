"""Hardware that waits while somebody asks for more of it: the answer is never more hardware."""

from __future__ import annotations

from scenarios.telling import Scenario, Trained, criterion, falls, length, level, line, noisy, plan, priced, rises, table

TARGET = criterion(threshold=0.90)
WAITING = noisy(level(0.18, 400), 0.03)
WISH = '[plan]\ntitle = "Round 3: request for eight more GPUs"\nregistered = 2026-06-01T08:00:00Z\n'
SLOW = {"train_loss": falls(1.2, 0.9, 60), "val_acc": noisy(line(0.60, 0.68, 60), 0.001)}
FLAT = {"train_loss": falls(1.2, 0.3, 40), "val_acc": noisy(rises(0.60, 0.85, 40, settle=0.1), 0.002)}
NEVER = ("more gpu", "larger gpu", "bigger", "further gpu", "additional gpu", "eight")

SCENARIOS = [
    Scenario(
        name="waiting GPUs and a request for more of them",
        story="The run is slow, two GPUs work 18 % of the time, and the team asks for eight more.",
        runs=[Trained(curves=SLOW, status="running", hours=60, gpus={"gpu0": WAITING, "gpu1": WAITING})],
        plan="\n".join([WISH, TARGET, priced(money="160 EUR"), length(10_000, gpus=2)]),
        rule=9,
        verdict="no-go",
        step="revisit-business-requirements",
        says=("prepare data ahead of the gpu",),
        never=NEVER,
        fires=("TR201", "TR308"),
    ),
    Scenario(
        name="waiting GPUs and a plateau",
        story="Progress ended at 85 % on GPUs that wait: neither trouble is mended by hardware.",
        runs=[Trained(curves=FLAT, gpus={"gpu0": WAITING})],
        plan="\n".join([WISH, TARGET, length(4000)]),
        rule=7,
        verdict="no-go",
        step="tune",
        says=("on more hardware",),
        never=NEVER,
        fires=("TR104", "TR201"),
    ),
    Scenario(
        name="an idle second GPU, target met",
        story="Two GPUs were allocated, one did all the work; the model is good.",
        runs=[
            Trained(
                curves={"train_loss": falls(1.2, 0.2, 40), "val_acc": noisy(rises(0.60, 0.93, 40), 0.002)},
                gpus={"gpu0": noisy(level(0.9, 400), 0.03), "gpu1": level(0.0, 400)},
            )
        ],
        plan=plan(TARGET, length(4000, gpus=2)),
        rule=3,
        verdict="go-with-conditions",
        step="proceed-to-evaluation",
        never=NEVER,
        fires=("TR202",),
    ),
    Scenario(
        name="waiting for data, measured",
        story="Half of each step is spent waiting for the next batch; the run is on its way nevertheless.",
        runs=[
            Trained(
                curves={
                    "train_loss": falls(1.2, 0.6, 30),
                    "val_acc": noisy(rises(0.30, 0.86, 30, settle=0.4), 0.002),
                    "time/data": noisy(level(0.5, 30), 0.01),
                    "time/step": noisy(level(1.0, 30), 0.01, 2),
                },
                status="running",
            )
        ],
        plan=plan(TARGET, length(6000)),
        rule=8,
        verdict="not-yet",
        step="continue-training",
        says=("let the run go on", "prepare data ahead of the gpu"),
        never=NEVER,
        fires=("TR203",),
    ),
    Scenario(
        name="waiting GPUs, and only they were logged",
        story="A gauge that shows waste says nothing of the model.",
        runs=[Trained(curves={}, gpus={"gpu0": WAITING})],
        plan=plan(TARGET, table("budget", gpu_hours=5)),
        rule=1,
        verdict="cannot-tell",
        step="collect-evidence",
        says=("only the hardware", "100 % over"),
        never=NEVER,
        fires=("TR201", "TR301"),
    ),
    Scenario(
        name="a GPU that reports faults, target met",
        story="An uncorrected memory error was reported; the result has to be checked on another machine.",
        runs=[
            Trained(
                curves={"train_loss": falls(1.2, 0.2, 40), "val_acc": noisy(rises(0.60, 0.93, 40), 0.002)},
                messages=("NVRM: Xid (PCI:0000:3b:00): 48, pid=4711, An uncorrectable double bit error was detected",),
            )
        ],
        plan=plan(TARGET, length(4000)),
        rule=3,
        verdict="go-with-conditions",
        step="proceed-to-evaluation",
        says=("diagnostics", "confirm the result on another one"),
        fires=("TR217",),
    ),
]
