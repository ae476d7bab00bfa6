from __future__ import annotations

from read_logs import meanings, values, written

TABLE = """,TrialComponentName,DisplayName,SageMaker.InstanceType,SageMaker.InstanceCount,lr,val:loss - Last,val:loss - Min,val:loss - Count
0,job-1-aws-training-job,Training,ml.p3.2xlarge,1.0,0.001,0.5,0.4,10
1,job-2-aws-training-job,Training,ml.p3.2xlarge,1.0,0.01,0.7,0.6,10
"""


def test_each_row_is_a_run(tmp_path):
    name, (first, second) = written(tmp_path, "analytics.csv", TABLE)
    assert (name, first.key, second.params["lr"]) == ("sagemaker-experiments", "job-1", "0.01")
    assert (values(first, "val:loss - Last"), values(first, "val:loss - Min")) == ([0.5], [0.4])
    assert meanings(first)["val:loss - Last"] == ("loss", "validation", "1")
    assert meanings(first)["val:loss - Min"][0] == "loss/min"
