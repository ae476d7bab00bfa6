"""What was worked out of a log is remembered with it, and forgotten with it."""

from __future__ import annotations

import gc
import weakref

from builders import log_of, training

from trainreport.model.memo import remembered


def test_once_for_each_log():
    asked = []
    rows = remembered(lambda log: asked.append(log.run.id) or len(log.frame))
    one, two = log_of(training({"loss": [1.0, 2.0]}), run_id="one"), log_of(training({"loss": [1.0]}), run_id="two")
    assert [rows(one), rows(two), rows(one)] == [2, 1, 2]
    assert asked == ["one", "two"]


def test_further_arguments_count():
    first = remembered(lambda log, many=1: log.frame["value"].tolist()[:many])
    log = log_of(training({"loss": [3.0, 2.0, 1.0]}))
    assert (first(log), first(log, 2), first(log, many=3), first(log)) == ([3.0], [3.0, 2.0], [3.0, 2.0, 1.0], [3.0])


def test_a_log_is_not_kept_alive():
    rows = remembered(lambda log: len(log.frame))
    log = log_of(training({"loss": [1.0]}))
    rows(log)
    gone = weakref.ref(log)
    del log
    gc.collect()
    assert gone() is None
