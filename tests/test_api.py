"""The public interface, as a notebook uses it."""

from __future__ import annotations

import json
import math
import sys

import matplotlib as mpl
import pandas as pd
import pytest
from event_files import scalar

import trainreport as tr
from trainreport import _resources
from trainreport.errors import MissingDependencyError, OutputExistsError, UsageError

SAMPLE = _resources.folder("sample_runs") / "overfitting"
SEARCH = _resources.folder("sample_runs") / "search"


@pytest.fixture(autouse=True)
def _no_window():
    """Draw without a display, and close what was drawn."""
    import matplotlib.pyplot as plt

    mpl.use("agg")
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def runs():
    return tr.load(SAMPLE / "logs")


@pytest.fixture(scope="module")
def analysis(runs):
    return tr.analyze(runs, SAMPLE / "plan.toml")


@pytest.fixture(scope="module")
def several():
    return tr.load(SEARCH / "logs")


def test_load_gives_the_frame_that_analyze_judges(runs, analysis):
    read_again = tr.analyze(str(SAMPLE / "logs"), SAMPLE / "plan.toml")
    pd.testing.assert_frame_equal(runs.frame, read_again.frame)
    assert analysis.render("json") == read_again.render("json")


def test_an_analysis_shows_itself(analysis):
    assert repr(analysis).startswith("<Analysis of 1 run(s): no-go, return-to-data-preparation · TR101")
    bundle = analysis._repr_mimebundle_()
    assert "Stop paying for training" in bundle["text/html"]
    assert bundle["text/plain"].startswith("■ No-go")
    assert [finding.code for finding in analysis.findings][:2] == ["TR101", "TR301"]
    assert analysis.decision is analysis.assessment.decision


def test_the_suffix_says_the_format(analysis, tmp_path):
    written = analysis.report(tmp_path / "out.json")
    assert json.loads(written.read_text())["schema"] == "trainreport.assessment/1"
    assert analysis.report(tmp_path / "out.md", audience="sponsor").read_text().startswith("Training review for")
    with pytest.raises(UsageError, match="the suffix says the format"):
        analysis.report(tmp_path / "out.docx")


def test_report_in_one_call(tmp_path):
    out = tr.report(SAMPLE / "logs", tmp_path / "out.md", SAMPLE / "plan.toml", audience="sponsor")
    assert "Stop paying for training" in out.read_text()


def test_pack_in_one_call(tmp_path, call):
    out = tr.pack(SAMPLE / "logs", tmp_path / "pack", SAMPLE / "plan.toml")
    assert call("verify", out)[0] == 0
    with pytest.raises(OutputExistsError):
        tr.pack(SAMPLE / "logs", tmp_path / "pack", SAMPLE / "plan.toml")


def test_the_plan_may_be_read_before(analysis):
    plan = tr.read_plan(SAMPLE / "plan.toml")
    assert isinstance(plan, tr.Plan)
    assert tr.analyze([SAMPLE / "logs"], plan, as_of="2026-06-09T12:00:00Z").decision.rule == analysis.decision.rule


def test_one_run_cannot_be_compared(runs):
    for given in (SAMPLE / "logs", runs):
        with pytest.raises(UsageError, match="comparing takes two or more"):
            tr.compare(given)


def test_what_is_not_public_is_not_there():
    with pytest.raises(AttributeError, match="no attribute 'analyse'"):
        tr.analyse  # noqa: B018
    assert set(tr.__all__) <= set(dir(tr))


@pytest.fixture
def written(tmp_path):
    """Write a run with TensorBoard's own writer, which was restarted at step 2, and two GPUs' log beside it."""
    from tensorboard.summary.writer.event_file_writer import EventFileWriter

    writer = EventFileWriter(str(tmp_path / "run"))
    for step, value in ((0, 4.0), (1, 3.0), (2, 9.0), (2, 2.0), (3, math.nan)):
        writer.add_event(scalar("val/loss", step, value))
    writer.add_event(scalar("train/loss", 0, 5.0))
    writer.close()
    (tmp_path / "run" / "gpu.csv").write_text(
        "timestamp, index, utilization.gpu [%], power.draw [W]\n"
        "2023/11/14 22:13:20.000, 0, 50 %, 100.00 W\n"
        "2023/11/14 22:13:20.000, 1, 25 %, 90.00 W\n"
        "2023/11/14 22:13:22.000, 0, 70 %, 110.00 W\n"
        "2023/11/14 22:13:22.000, 1, 35 %, 95.00 W\n"
    )
    return tr.load(tmp_path / "run", source_zone="UTC")


def test_a_series_is_in_the_order_of_training(written):
    loss = written.series("loss", "validation", run="run")
    assert loss.index.name == "step"
    assert loss.to_dict() == pytest.approx({0: 4.0, 1: 3.0, 2: 2.0, 3: math.nan}, nan_ok=True)
    assert written.series("val/loss").equals(loss.rename("val/loss"))  # as logged
    assert len(written.frame[written.frame["logged"] == "val/loss"]) == 5  # the frame keeps every row


def test_a_series_of_devices_is_by_device_and_time(written):
    power = written.series("gpu/power")
    assert power.index.names == ["device", "time"]
    assert power["gpu1"].tolist() == [90.0, 95.0]
    assert power["gpu0"].index[1] == pd.Timestamp("2023-11-14T22:13:22Z")


def test_a_series_that_is_not_there_is_an_error_that_says_what_is(written):
    with pytest.raises(UsageError, match="nowhere; did you mean 'loss'"):
        written.series("los")
    with pytest.raises(UsageError, match="in train and validation; expected one of these as phase"):
        written.series("loss")
    with pytest.raises(UsageError, match="no run has a series 'los'; did you mean 'loss'"):
        written.plot("los")
    with pytest.raises(UsageError, match="no run 'ran'; did you mean 'run'"):
        written.series("loss", "train", run="ran")


def test_of_several_runs_one_is_to_be_named(several):
    with pytest.raises(UsageError, match="there are 8 runs; expected run= one of"):
        several.series("loss", "validation")
    name = several.logs[0].run.name
    assert len(several.series("loss", "validation", run=name)) == len(several.series("loss", "validation", run=several.logs[0].run.id))
    assert tr.analyze(several).series("loss", "validation").min() == pytest.approx(0.39347, abs=1e-5)  # the run that leads


def test_a_plot_gives_axes_back(written):
    axes = written.plot("loss")
    assert isinstance(axes, mpl.axes.Axes)
    assert {line.get_label(): list(line.get_ydata())[:3] for line in axes.lines} == {"train": [5.0], "validation": [4.0, 3.0, 2.0]}
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("step", "loss")
    power = written.plot("gpu/power")
    assert (power.get_xlabel(), power.get_ylabel()) == ("hours", "gpu/power (W)")
    assert [text.get_text() for text in power.get_legend().get_texts()] == ["gpu0", "gpu1"]
    assert written.plot("loss", "train", ax=power) is power


def test_an_analysis_marks_the_best_checkpoint(analysis):
    assert [text.get_text() for text in analysis.plot().texts] == ["best, step 63"]
    assert analysis.plot().get_ylabel() == "accuracy"
    assert not analysis.plot("loss").texts


def test_several_runs_are_one_curve_each(several):
    axes = tr.compare(several).plot("loss")
    assert len(axes.get_legend().get_texts()) == 8


def test_runs_and_comparisons_show_themselves(several):
    assert repr(several) == "<Runs: 8 runs, 1,280 numbers>"
    assert "width-48-decay-0.001-seed-1" in several._repr_html_()
    comparison = tr.compare(several, SEARCH / "plan.toml")
    assert comparison._repr_mimebundle_()["text/plain"].startswith("■ No-go")
    assert "weight_decay" in comparison._repr_html_()


def test_polars_holds_the_same_numbers(written):
    pytest.importorskip("polars")
    table = written.to_polars()
    assert table.columns == list(written.frame.columns)
    loss = table.filter(table["logged"] == "val/loss")
    assert loss["value"].to_list() == pytest.approx([4.0, 3.0, 9.0, 2.0, math.nan], nan_ok=True)
    assert (loss["value"].null_count(), loss["device"].null_count()) == (0, 5)


def test_xarray_is_along_steps_and_devices(written):
    pytest.importorskip("xarray")
    data = written.to_xarray()
    assert data["validation/loss"].dims == ("step",)
    assert data["train/loss"].values.tolist() == pytest.approx([5.0, math.nan, math.nan, math.nan], nan_ok=True)
    assert float(data["system/gpu/power"].sel(device="gpu1", time="2023-11-14T22:13:22")) == 95.0
    assert data["system/gpu/power"].attrs["unit"] == "W"


def test_a_grid_too_large_is_refused(written, monkeypatch):
    pytest.importorskip("xarray")
    from trainreport.reports.exports import frame

    monkeypatch.setattr(frame, "_MOST_CELLS", 7)
    with pytest.raises(UsageError, match="would hold 8 numbers"):
        written.to_xarray()


@pytest.mark.parametrize("name", ["polars", "xarray"])
def test_what_is_not_installed_is_named_with_the_command(runs, monkeypatch, name):
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingDependencyError, match=f"pip install {name}"):
        getattr(runs, f"to_{name}")()


def test_an_explanation_shows_itself():
    shown = tr.explain("tr101")
    assert str(shown).startswith("TR101 overfitting (major)")
    assert shown._repr_mimebundle_()["text/markdown"].startswith("### TR101 overfitting\n")
    with pytest.raises(UsageError, match="did you mean"):
        tr.explain("TR1O1")
