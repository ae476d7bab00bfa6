"""dcgmi stats; the form is that of the DCGM user guide and of manuals of clusters."""

from __future__ import annotations

from read_logs import values, written

REPORT = """Successfully retrieved statistics for job: demojob.
+------------------------------------------------------------------------------+
| GPU ID: {gpu}                                                                    |
+====================================+=========================================+
|-----  Execution Stats  ------------+-----------------------------------------|
| Start Time                     *   | Wed Oct 25 11:51:37 2023                |
| End Time                           | Wed Oct 25 12:51:37 2023                |
| Total Execution Time (sec)         | 3600.5                                  |
| No. of Processes                   | 1                                       |
+-----  Performance Stats  ----------+-----------------------------------------+
| Energy Consumed (Joules)           | 1249175                                 |
| Power Usage (Watts)                | Avg: 56.378, Max: 60, Min: 50           |
| Max GPU Memory Used (bytes)    *   | 473956352                               |
| SM Clock (MHz)                     | Avg: 1410, Max: 1410, Min: 1410         |
| SM Utilization (%)                 | Avg: 76, Max: 100, Min: 0               |
| PCIe Rx Bandwidth (megabytes)      | Avg: N/A, Max: N/A, Min: N/A            |
+-----  Event Stats  ----------------+-----------------------------------------+
| Double Bit ECC Errors              | 0                                       |
| Critical XID Errors                | {xid}                                       |
+-----  Slowdown Stats  -------------+-----------------------------------------+
| Due to - Power (%)                 | 12                                      |
|        - Thermal (%)               | 3                                       |
|        - Sync Boost (%)            | Not Supported                           |
+------------------------------------+-----------------------------------------+
"""


def test_a_job_on_two_gpus(tmp_path):
    name, log = written(tmp_path, "stats.txt", REPORT.format(gpu=0, xid=0) + REPORT.format(gpu=1, xid=2))
    assert name == "dcgm-stats"
    assert log.kind == "machine"
    assert values(log, "Energy Consumed (Joules)") == [1249175, 1249175]
    assert values(log, "SM Utilization (%) Avg") == [0.76, 0.76]
    assert values(log, "SM Utilization (%) Max") == [1, 1]
    assert values(log, "Max GPU Memory Used (bytes)") == [473956352, 473956352]
    assert values(log, "Power") == [0.12, 0.12]
    assert values(log, "Thermal") == [0.03, 0.03]
    assert values(log, "Sync Boost") == []
    assert log.started_at.isoformat() == "2023-10-25T11:51:37+00:00"
    assert log.ended_at.isoformat() == "2023-10-25T12:51:37+00:00"
    assert log.files[0].clock == "no zone written; taken as UTC"
    assert log.hardware.gpu_count == 2
    (event,) = log.events
    assert (event.kind, event.message) == ("gpu-error", "2 critical Xid errors on gpu1, by dcgmi stats")


def test_a_process_that_still_runs(tmp_path):
    _, log = written(tmp_path, "stats.txt", REPORT.format(gpu=3, xid=0).replace("Wed Oct 25 12:51:37 2023", "Still Running           "))
    assert log.ended_at == log.started_at
    assert log.frame["device"].astype(str).unique().tolist() == ["gpu3"]
