"""Answers of Prometheus: those of a real server that scraped a page of the test, and torn ones."""

from __future__ import annotations

import contextlib
import http.client
import http.server
import json
import math
import shutil
import socket
import subprocess
import threading
import time

import pytest
from read_logs import meanings, read, values, written

from trainreport.errors import InputError

SERIES = {"metric": {"__name__": "DCGM_FI_DEV_GPU_UTIL", "gpu": "1", "Hostname": "node-a", "instance": "10.0.0.1:9400", "job": "dcgm"}}
PAGE = """# TYPE DCGM_FI_DEV_GPU_UTIL gauge
DCGM_FI_DEV_GPU_UTIL{gpu="0",UUID="GPU-a",modelName="NVIDIA A100",Hostname="node-a"} 83
DCGM_FI_DEV_GPU_UTIL{gpu="1",UUID="GPU-b",modelName="NVIDIA A100",Hostname="node-a"} 7
# TYPE DCGM_FI_DEV_FB_USED gauge
DCGM_FI_DEV_FB_USED{gpu="0",UUID="GPU-a",modelName="NVIDIA A100",Hostname="node-a"} 1024
# TYPE train_loss gauge
train_loss 0.25
"""


def answer(*result, **more):
    return json.dumps({"status": "success", "data": {"resultType": "matrix", "result": list(result)}, **more})


def test_a_matrix(tmp_path):
    points = [[1780984800, "83"], [1780984815.781, "7"], [1780984830, "NaN"]]
    name, log = written(tmp_path, "util.json", answer({**SERIES, "values": points}, warnings=["too many samples"]))
    assert name == "prometheus-range"
    assert values(log, "DCGM_FI_DEV_GPU_UTIL")[:2] == [0.83, 0.07]
    assert math.isnan(values(log, "DCGM_FI_DEV_GPU_UTIL")[2])
    assert log.frame["device"].tolist() == ["gpu1"] * 3
    assert log.frame["node"].tolist() == ["node-a"] * 3
    assert log.frame["time"].iloc[1].isoformat() == "2026-06-09T06:00:15.781000+00:00"
    assert [one.message for one in log.events] == ["Prometheus warns: too many samples"]


def test_the_result_of_an_expression_is_named_by_its_file(tmp_path):
    _, log = written(tmp_path, "train_loss.json", answer({"metric": {}, "values": [[1780984800, "2.5"]]}))
    assert meanings(log) == {"train_loss": ("loss", "train", "1")}
    assert log.kind == "training"


def test_a_vector(tmp_path):
    text = answer({**SERIES, "value": [1780984800, "50"]}).replace("matrix", "vector")
    _, log = written(tmp_path, "now.json", text)
    assert values(log, "DCGM_FI_DEV_GPU_UTIL") == [0.5]


def test_torn_points_and_results_are_named(tmp_path):
    _, log = written(tmp_path, "a.json", answer(7, {**SERIES, "values": [[1780984800, "1"], [True], ["x", "2"], [1, "2x"]]}))
    assert values(log, "DCGM_FI_DEV_GPU_UTIL") == [0.01]
    assert [one.place for one in log.problems] == ["result 1", "result 2", "result 2", "result 2"]


@pytest.mark.parametrize("text", [answer(), '{"status": "error", "data": {"resultType": "matrix", "result": 1}}'])
def test_no_result(tmp_path, text):
    with pytest.raises(InputError):
        written(tmp_path, "a.json", text)


class _Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/plain; version=0.0.4")
        self.end_headers()
        self.wfile.write(PAGE.encode())

    def log_message(self, *_):
        """Keep quiet."""


def _free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def _answered(port, path):
    for _ in range(100):
        try:
            with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=2)) as client:
                client.request("GET", path)
                found = json.load(client.getresponse())
            if len(found["data"]["result"]) == 4 and all(len(one["values"]) >= 3 for one in found["data"]["result"]):
                return found
        except (OSError, ValueError, KeyError):
            pass
        time.sleep(0.2)
    raise AssertionError("Prometheus did not answer")


@pytest.mark.full
@pytest.mark.skipif(shutil.which("prometheus") is None, reason="no prometheus is installed (apt-get install prometheus)")
def test_what_a_real_prometheus_answers(tmp_path):
    page = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Page)
    threading.Thread(target=page.serve_forever, daemon=True).start()
    target, port = f"127.0.0.1:{page.server_port}", _free_port()
    (tmp_path / "prometheus.yml").write_text(
        f"global: {{scrape_interval: 1s}}\nscrape_configs: [{{job_name: dcgm, static_configs: [{{targets: ['{target}']}}]}}]\n"
    )
    command = [
        "prometheus", f"--config.file={tmp_path}/prometheus.yml", f"--storage.tsdb.path={tmp_path}/data",
        f"--web.listen-address=127.0.0.1:{port}", "--log.level=error",
    ]  # fmt: skip
    began = time.time()  # noqa: TID251  the server scrapes by the clock
    server = subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        query = "query=%7B__name__%3D~%22DCGM_.%2B%7Ctrain_loss%22%7D"  # {__name__=~"DCGM_.+|train_loss"}
        found = _answered(port, f"/api/v1/query_range?{query}&start={began:.0f}&end={began + 60:.0f}&step=1")
    finally:
        server.terminate()
        server.wait(10)
        page.shutdown()
        page.server_close()
    (tmp_path / "range.json").write_text(json.dumps(found))
    name, log = read(tmp_path / "range.json")
    assert name == "prometheus-range"
    frame = log.frame
    assert set(values(log, "DCGM_FI_DEV_GPU_UTIL")) == {0.83, 0.07}
    assert set(values(log, "train_loss")) == {0.25}
    busy = frame[frame["series"] == "gpu/utilization"]
    assert set(zip(busy["device"], busy["node"], strict=True)) == {("gpu0", "node-a"), ("gpu1", "node-a")}
    assert began - 1 <= log.started_at.timestamp() <= began + 61
    assert not log.problems


def test_a_moment_beyond_any_clock_is_listed(tmp_path):
    result = [{"metric": {"__name__": "loss"}, "values": [[int("9" * 400), "1"], [1780984800, "2"]]}]
    text = json.dumps({"status": "success", "data": {"resultType": "matrix", "result": result}})
    _, found = written(tmp_path, "range.json", text)
    every = found if isinstance(found, tuple) else (found,)
    assert sum(len(one.frame) for one in every) == 1
    assert any(one.problems for one in every)


def test_infinities_are_kept_and_blanks_of_dcgm_are_told(tmp_path):
    """Prometheus writes +Inf, -Inf and NaN as texts, for JSON has none of them."""
    points = [[1780984800, "+Inf"], [1780984815, "-Inf"], [1780984830, "9223372036854775794"], [1780984845, "8.3e1"]]
    _, log = written(tmp_path, "util.json", answer({**SERIES, "values": points}))
    assert values(log, "DCGM_FI_DEV_GPU_UTIL") == [math.inf, -math.inf, 0.83]
    assert [one.message for one in log.events] == ["DCGM_FI_DEV_GPU_UTIL is not supported in 1 samples"]


def test_a_part_of_a_gpu_is_not_the_gpu(tmp_path):
    part = {
        "metric": {"__name__": "DCGM_FI_DEV_FB_USED", "gpu": "0", "GPU_I_ID": "3", "GPU_I_PROFILE": "1g.5gb"},
        "values": [[1780984800, "2"]],
    }
    whole = {"metric": {"__name__": "DCGM_FI_DEV_FB_USED", "gpu": "0"}, "values": [[1780984800, "5"]]}
    _, log = written(tmp_path, "util.json", answer(part, whole))
    rows = log.frame[["series", "device", "value"]].astype({"series": str, "device": str}).to_numpy().tolist()
    assert rows == [["gpu/mig/memory_used", "gpu0/mig3", 2 * 2**20], ["gpu/memory_used", "gpu0", 5 * 2**20]]


def test_a_native_histogram_is_named(tmp_path):
    histogram = {"metric": {"__name__": "step_seconds"}, "histograms": [[1780984800, {"count": "3", "sum": "1"}]]}
    _, log = written(tmp_path, "util.json", answer(histogram, {**SERIES, "values": [[1780984800, "1"]]}))
    assert [one.what for one in log.problems] == ["no metric with its values; native histograms are not read"]


def test_an_error_of_a_gpu_is_told_once(tmp_path):
    points = [[1780984800, "0"], [1780984815, "79"], [1780984830, "79"]]
    _, log = written(tmp_path, "xid.json", answer({"metric": {"__name__": "DCGM_FI_DEV_XID_ERRORS", "gpu": "1"}, "values": points}))
    (event,) = log.events
    assert (event.kind, event.level, event.message, event.time_s) == ("gpu-error", "error", "Xid 79 on gpu1", 1780984815)
