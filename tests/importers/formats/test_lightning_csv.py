"""metrics.csv of Lightning's CSVLogger; its form is that of lightning.pytorch.loggers.csv_logs and of the corpus."""

from __future__ import annotations

from read_logs import meanings, steps, values, written

TEXT = "epoch,step,train_loss_step,train_loss_epoch,val_loss\n0,49,2.5,,\n0,99,2.0,,\n0,108,,2.25,1.9\n1,149,nan,,\n"


def test_a_sparse_table(tmp_path):
    (tmp_path / "lightning_logs" / "version_0").mkdir(parents=True)
    (tmp_path / "lightning_logs" / "version_0" / "hparams.yaml").write_text("lr: 0.1\nseed: 7\n")
    name, log = written(tmp_path, "lightning_logs/version_0/metrics.csv", TEXT)
    assert name == "lightning-csv"
    assert steps(log, "train_loss_step") == [49, 99, 149]
    assert values(log, "val_loss") == [1.9]
    assert meanings(log)["train_loss_epoch"] == ("loss", "train", "1")
    assert (log.key, log.seed, log.params["lr"]) == ("lightning_logs/version_0", "7", "0.1")
    assert log.covers == ("lightning_logs/version_0/hparams.yaml",)
    assert log.frame["flags"].tolist().count(1) == 1  # nan is a value that was logged, an empty cell is none


def test_columns_in_any_order(tmp_path):
    name, log = written(tmp_path, "metrics.csv", "train_rmse,epoch,step,val_rmse\n0.2,0,49,\n,0,108,0.1\n")
    assert name == "lightning-csv"
    assert steps(log, "val_rmse") == [108]
