"""Summaries of nsys stats, with the names of columns that its versions have."""

from __future__ import annotations

import pytest
from made_traces import measured
from read_logs import written

from trainreport.errors import InputError

KERNELS = """Processing [x.sqlite] with [/opt/nvidia/nsight-systems/2024.5.1/host-linux-x64/reports/cuda_gpu_kern_sum.py]...

 ** CUDA GPU Kernel Summary (cuda_gpu_kern_sum):

Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name
75.0,3000000,30,100000.0,1,1,1,1,"void gemm<float, 4>(int)"
25.0,1000000,10,100000.0,1,1,1,1,ncclDevKernel_AllReduce_Sum_f16
"""
OTHERS = """
Time (%),Total Time (ns),Count,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Operation
96.0,2400000,60,40000.0,1,1,1,1,[CUDA memcpy Host-to-Device]
4.0,100000,4,25000.0,1,1,1,1,[CUDA memset]

Time (%),Total Time (ns),Num Calls,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name
70.0,400000,100,4000.0,1,1,1,1,cudaLaunchKernel
10.0,60000,10,6000.0,1,1,1,1,cuLaunchKernelEx
20.0,100000,1,100000.0,1,1,1,1,cudaMalloc

Total (MB),Count,Avg (MB),Med (MB),Min (MB),Max (MB),StdDev (MB),Operation
402.653,48,8.389,8.389,8.389,8.389,0.000,[CUDA memcpy Host-to-Device]
"""
RANGES = """"Time (%)","Total Time (ns)","Instances","Avg (ns)","Med (ns)","Min (ns)","Max (ns)","StdDev (ns)","Style","Range"
60.0,30000000,1,30000000.0,1,1,1,0,PushPop,:ProfilerStep#3
30.0,44000000,2,22000000.0,1,1,1,0,PushPop,train: step 4
10.0,1000000,10,100000.0,1,1,1,0,PushPop,:forward
"""
OF_KERNELS = {
    ("profile/kernel_time", None): 4e-3,
    ("profile/kernel_mean", None): 1e-4,
    ("profile/communication_of_kernels", None): 0.25,
}


def test_kernels(tmp_path):
    name, log = written(tmp_path, "report_cuda_gpu_kern_sum.csv", KERNELS)
    assert name == "nsys-stats"
    assert measured(log) == pytest.approx(OF_KERNELS)
    assert log.kind == "machine"


def test_several_reports_below_each_other(tmp_path):
    _, log = written(tmp_path, "report.csv", KERNELS + OTHERS)
    launches = 460_000e-9 / 110
    assert measured(log) == pytest.approx({**OF_KERNELS, ("profile/copy_time", None): 2.5e-3, ("profile/launch_mean", None): launches})


@pytest.mark.parametrize(("unit", "scale"), [("ms", 1e-6), ("us", 1e-3), ("s", 1e-9)])
def test_other_units_of_time(tmp_path, unit, scale):
    text = KERNELS.replace("(ns)", f"({unit})").replace("3000000", repr(3e6 * scale)).replace("1000000", repr(1e6 * scale))
    assert measured(written(tmp_path, "a.csv", text)[1]) == pytest.approx(OF_KERNELS)


def test_older_names_and_thousands(tmp_path):
    text = KERNELS.replace("Time (%)", "Time(%)").replace("Avg (ns)", "Average").replace("3000000", '"3,000,000"')
    assert measured(written(tmp_path, "a.csv", text)[1]) == pytest.approx(OF_KERNELS)


def test_ranges_that_are_named_like_steps(tmp_path):
    _, log = written(tmp_path, "report_nvtx_sum.csv", RANGES)
    assert measured(log) == pytest.approx({("time/step", 3): 0.030, ("time/step", 4): 0.022})


def test_torn_rows_are_named(tmp_path):
    _, log = written(tmp_path, "a.csv", KERNELS + "x,y,z,100000.0,1,1,1,1,k\n75.0,3\n")
    assert measured(log) == pytest.approx(OF_KERNELS)
    assert [one.place for one in log.problems] == ["line 8", "line 9"]


def test_nothing_to_measure(tmp_path):
    with pytest.raises(InputError):
        written(tmp_path, "a.csv", KERNELS.partition("75.0")[0])
