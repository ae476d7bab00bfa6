"""What the command tells while it judges."""

from __future__ import annotations

from trainreport.batches.runner import Summary
from trainreport.cli import batch


def test_rate_failures_and_the_time_left(monkeypatch, capsys):
    now = [100.0]
    monkeypatch.setattr(batch.time, "monotonic", lambda: now[0])
    progress = batch._Progress()
    now[0] = 110.0
    progress.show(Summary(runs=20, share=0.2))  # what --resume passed over lies before: no base for an estimate
    now[0] = 130.0
    progress.show(Summary(runs=59, failed=1, skipped=5, share=0.6))
    first, second = capsys.readouterr().err.splitlines()
    assert first == "20 runs judged · 2.0 a second · 0 failed"
    # 40 % of the tree took 20 s, so the other 40 % take 20 s more
    assert second == "59 runs judged · 2.0 a second · 1 failed · 5 as they were · about 20 s left"
