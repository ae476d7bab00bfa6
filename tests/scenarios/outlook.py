"""Still improving: rules 8 and 9; and a miss without a cause, rule 10."""

from __future__ import annotations

from datetime import UTC, datetime

from scenarios.telling import Scenario, Trained, criterion, falls, length, line, noisy, plan, priced, rises, table

TARGET = criterion(threshold=0.90)
CLOSE = {"train_loss": falls(1.2, 0.6, 30), "val_acc": noisy(rises(0.30, 0.86, 30, settle=0.4), 0.002)}
"""Step 3,000, 86 %, and it still gains half a point every hundred steps."""
SLOW = {"train_loss": falls(1.2, 0.9, 60), "val_acc": noisy(line(0.60, 0.68, 60), 0.001)}
"""Step 6,000, 68 %, and it gains 0.14 points every hundred steps."""
GO_ON = {"rule": 8, "verdict": "not-yet", "step": "continue-training"}
CHOOSE = {"rule": 9, "verdict": "no-go", "step": "tune"}
ESCALATE = {**CHOOSE, "step": "revisit-business-requirements"}
NEVER = ("more gpu",)

SCENARIOS = [
    Scenario(
        name="on its way",
        story="Half of the planned steps done, 86 % of 90, rising steadily, and within budget.",
        runs=[Trained(curves=CLOSE, status="running")],
        plan=plan(TARGET, priced(money="50 EUR"), length(6000)),
        **GO_ON,
        says=("let the run go on", "still improves", "chance"),
        never=(*NEVER, "resume"),
        change="more steps at the present slope",
        silent=("TR308",),
    ),
    Scenario(
        name="killed while improving, and the target is in reach",
        story="The job was killed half way; its curve leads to the target.",
        runs=[Trained(curves=CLOSE, status="killed")],
        plan=plan(TARGET, priced(money="50 EUR"), length(6000)),
        **GO_ON,
        says=("resume from the last checkpoint", "in reach"),
        never=(*NEVER, "let the run go on"),
        change="more steps at the present slope",
        fires=("TR006", "TR113"),
    ),
    Scenario(
        name="failed close to the target",
        story="It failed at 60 % of its steps with 88.9 %, still rising.",
        runs=[
            Trained(
                curves={"train_loss": falls(1.2, 0.5, 36), "val_acc": noisy(rises(0.30, 0.889, 36, settle=0.4), 0.001)}, status="failed"
            )
        ],
        plan=plan(TARGET, length(6000)),
        **GO_ON,
        says=("resume from the last checkpoint",),
        fires=("TR006",),
    ),
    Scenario(
        name="stopped early although the plan goes on",
        story="Nothing says why it stopped at half of its steps; it still rose.",
        runs=[Trained(curves=CLOSE, status="unknown")],
        plan=plan(TARGET, length(6000)),
        **GO_ON,
        says=("resume",),
        fires=("TR006",),
    ),
    Scenario(
        name="eight of twenty-four evaluations",
        story="A third of the way, one evaluation an epoch, and each is better than the one before.",
        runs=[Trained(curves={"train_loss": falls(1.2, 0.6, 8), "val_acc": rises(0.30, 0.86, 8, settle=0.4)}, status="running")],
        plan=plan(TARGET, length(2400)),
        **GO_ON,
        says=("let the run go on",),
        change="more steps at the present slope",
    ),
    Scenario(
        name="the simple model is not beaten yet",
        story="It stands at 86 %, the simple model has 87, and the curve leads above 90.",
        runs=[Trained(curves=CLOSE, status="running")],
        plan=plan(criterion(threshold=0.90, baseline=0.87), length(6000)),
        **GO_ON,
        never=("simple model",),
        fires=("TR403",),
    ),
    Scenario(
        name="an error that falls towards its target",
        story="RMSE fell from 19 to 4.8 in half of the steps; at most 4.2 was agreed.",
        runs=[
            Trained(curves={"train_loss": falls(60, 30, 30), "val_rmse": noisy(falls(19.0, 4.8, 30, settle=0.4), 0.03)}, status="running")
        ],
        plan=plan(criterion("rmse", 4.2, comparator="<="), length(6000)),
        **GO_ON,
        change="more steps at the present slope",
    ),
    Scenario(
        name="improving too slowly",
        story="68 % at 60 % of the steps; at that pace it ends at 73.",
        runs=[Trained(curves=SLOW, status="running")],
        plan=plan(TARGET, priced(money="50 EUR"), length(10_000)),
        **ESCALATE,
        says=("choose: more budget, a faster way, or another target", "not fast enough", "chance"),
        never=NEVER,
        change="more steps at the present slope",
        fires=("TR308",),
    ),
    Scenario(
        name="killed while improving, and the target is out of reach",
        story="It was killed at 60 % of its steps with 68 %: resuming would spend the rest for nothing.",
        runs=[Trained(curves=SLOW, status="killed")],
        plan=plan(TARGET, length(10_000)),
        **ESCALATE,
        never=(*NEVER, "resume"),
        fires=("TR006",),
    ),
    Scenario(
        name="the deadline comes first",
        story="The curve leads to the target, but the deadline ends the run in an hour.",
        runs=[
            Trained(curves={"train_loss": falls(1.2, 0.7, 30), "val_acc": noisy(line(0.60, 0.80, 30), 0.002)}, hours=30, status="running")
        ],
        plan=plan(TARGET, table("budget", deadline="2026-06-10T13:00:00Z"), length(9000)),
        **ESCALATE,
        says=("chance",),
        never=(*NEVER, "let the run go on"),
        fires=("TR303", "TR308"),
    ),
    Scenario(
        name="the deadline has passed while the run stood still",
        story="The run stopped at 86 % in June; it is August, and the deadline was in July.",
        runs=[Trained(curves=CLOSE, status="killed")],
        plan=plan(TARGET, table("budget", deadline="2026-07-01T00:00:00Z"), length(6000)),
        as_of=datetime(2026, 8, 1, tzinfo=UTC),
        **CHOOSE,
        says=("deadline", "has passed"),
        never=(*NEVER, "let the run go on", "resume", "chance"),
    ),
    Scenario(
        name="improving, and the money is gone",
        story="86 % and rising, 30 of 20 EUR spent: go on only with a new agreement.",
        runs=[Trained(curves=CLOSE, hours=30, status="running")],
        plan=plan(TARGET, priced(money="20 EUR"), length(6000)),
        **CHOOSE,
        says=("agreed anew", "50 % over"),
        never=(*NEVER, "let the run go on"),
        change="more steps at the present slope",
        fires=("TR301",),
    ),
    Scenario(
        name="improving too slowly after the data was revisited",
        story="Better data was the last hope of the plan; now the requirement is in question.",
        runs=[Trained(curves={"train_loss": falls(1.2, 0.7, 40), "val_acc": noisy(line(0.60, 0.78, 40), 0.002)}, status="running")],
        plan=plan(TARGET, length(4400), table("history", data_revisited=True)),
        **ESCALATE,
        never=NEVER,
    ),
    Scenario(
        name="done as planned, short of the target, and still improving",
        story="All 4,000 planned steps are done; 86 %, and it still rises.",
        runs=[Trained(curves={"train_loss": falls(1.2, 0.5, 40), "val_acc": noisy(line(0.60, 0.86, 40), 0.002)})],
        plan=plan(TARGET, length(4000)),
        **CHOOSE,
        says=("still improves", "planned"),
        never=(*NEVER, "no single cause", "let the run go on"),
        change="more steps at the present slope",
    ),
    Scenario(
        name="still improving, and nothing says for how long it may",
        story="The plan has a target and neither budget nor length, so nothing can be foretold.",
        runs=[Trained(curves=CLOSE)],
        plan=plan(TARGET),
        rule=10,
        verdict="no-go",
        step="tune",
        says=("still improved",),
        never=NEVER,
        change="more steps at the present slope",
        fires=("TR113",),
    ),
    Scenario(
        name="missed without a cause",
        story="Noise without a period around 84 %, a slow gain, nothing else; no length was planned.",
        runs=[Trained(curves={"train_loss": falls(1.2, 0.6, 9), "val_acc": [0.60, 0.71, 0.77, 0.80, 0.84, 0.83, 0.84, 0.83, 0.84]})],
        plan=plan(TARGET),
        rule=10,
        verdict="no-go",
        step="tune",
        says=("no single cause", "84 %", "one setting at a time"),
        change="at least 90 %",
    ),
    Scenario(
        name="on its way, judged by its last value",
        story="The plan wants the last value to hold 88 %; it stands at 86 and rises, half way.",
        runs=[Trained(curves=CLOSE, status="running")],
        plan=plan(criterion(threshold=0.88, statistic="final"), length(6000)),
        **GO_ON,
        says=("86 %",),
    ),
]
