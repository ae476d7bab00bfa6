"""Writes the logs beside this file with the libraries themselves: `python make.py FOLDER NAME`, each in its own process.

Needs: dvclive trackio comet_ml clearml mlperf-logging keras transformers pandas pyarrow torch jax. No network is used.
"""

import os
import shutil
import sys
from pathlib import Path

LOSSES = [2.0, 1.5, 1.25, 1.125, float("nan")]


def dvclive(folder):
    """Write ``dvclive/`` with five steps."""
    from dvclive import Live

    with Live(str(folder / "dvclive"), save_dvc_exp=False, report=None, monitor_system=False) as live:
        live.log_params({"lr": 0.1, "seed": 7})
        for loss in LOSSES:
            live.log_metric("train/loss", loss, timestamp=True)
            live.log_metric("val/acc", 1 / loss)
            live.next_step()


def keras(folder):
    """Write one CSV by Keras' own callback, driven by hand."""
    os.environ["KERAS_BACKEND"] = "numpy"
    from keras.callbacks import CSVLogger

    class Model:
        stop_training = False

    log = CSVLogger(str(folder / "training_log.csv"))
    log.set_model(Model())
    log.on_train_begin()
    for epoch, loss in enumerate(LOSSES):
        log.on_epoch_end(epoch, {"loss": loss, "accuracy": 0.5 + epoch / 10, "val_loss": loss + 0.1, "val_accuracy": 0.4 + epoch / 10})
    log.on_train_end()


def transformers(folder):
    """Write trainer_state.json by the Trainer's own state."""
    from transformers.trainer_callback import TrainerState

    state = TrainerState(max_steps=50, num_train_epochs=5, logging_steps=10, train_batch_size=4, global_step=50, epoch=5.0)
    for place, loss in enumerate(LOSSES, 1):
        state.log_history.append({"epoch": float(place), "grad_norm": 1.0, "learning_rate": 1e-3 / place, "loss": loss, "step": 10 * place})
        state.log_history.append({"epoch": float(place), "eval_loss": loss + 0.1, "eval_runtime": 2.5, "step": 10 * place})
    state.log_history.append(
        {
            "epoch": 5.0,
            "step": 50,
            "total_flos": 1e15,
            "train_loss": 1.5,
            "train_runtime": 600.0,
            "train_samples_per_second": 3.2,
            "train_steps_per_second": 0.08,
        }
    )
    state.best_global_step, state.best_metric, state.best_model_checkpoint = 40, 1.225, "out/checkpoint-40"
    state.save_to_json(str(folder / "trainer_state.json"))


def mlperf(folder):
    """Write an MLPerf training log."""
    from mlperf_logging import mllog

    mllog.config(filename=str(folder / "result_0.txt"), root_dir=str(folder), default_stack_offset=0)
    log = mllog.get_mllogger()
    log.event("submission_benchmark", "resnet")
    log.event("submission_org", "us")
    log.event("seed", 7)
    log.event("global_batch_size", 256)
    log.start("init_start")
    log.end("init_stop")
    log.start("run_start")
    for epoch, loss in enumerate(LOSSES[:4], 1):
        log.start("epoch_start", metadata={"epoch_num": epoch})
        log.event("tracked_stats", {"throughput": 100.5 + epoch}, metadata={"step": epoch * 10})
        log.event("train_loss", loss, metadata={"epoch_num": epoch})
        log.event("eval_accuracy", epoch / 5, metadata={"epoch_num": epoch})
        log.end("epoch_stop", metadata={"epoch_num": epoch})
    log.end("run_stop", metadata={"status": "success"})


def comet(folder):
    """Write an offline archive."""
    import comet_ml

    run = comet_ml.OfflineExperiment(
        project_name="demo", workspace="us", offline_directory=str(folder), log_code=False, log_graph=False, log_env_details=False,
        auto_param_logging=False, auto_metric_logging=False, parse_args=False, display_summary_level=0, log_git_metadata=False,
    )  # fmt: skip
    run.set_name("first")
    run.log_parameters({"lr": 0.1, "seed": 7})
    for step, loss in enumerate(LOSSES):
        run.log_metric("train_loss", loss, step=step, epoch=step)
        run.log_metric("val_acc", step / 5, step=step, epoch=step)
    run.end()


def clearml(folder):
    """Write an offline session."""
    os.environ["CLEARML_CACHE_DIR"] = str(folder / "cache")
    from clearml import Task

    Task.set_offline(True)
    task = Task.init("demo", "first", auto_connect_frameworks=False, auto_resource_monitoring=False, output_uri=False)
    task.connect({"lr": 0.1, "seed": 7})
    logger = task.get_logger()
    for step, loss in enumerate(LOSSES):
        logger.report_scalar("loss", "train", value=loss, iteration=step)
        logger.report_scalar("loss", "validation", value=loss + 0.1, iteration=step)
    task.flush(wait_for_uploads=True)
    task.close()


def trackio(folder):
    """Write a project's database."""
    os.environ["TRACKIO_DIR"] = str(folder / "trackio")
    import trackio as tracking

    tracking.init(project="demo", name="first", config={"lr": 0.1, "seed": 7})
    for loss in LOSSES:
        tracking.log({"train/loss": loss, "val/accuracy": 0.5})
    tracking.finish()


def torch_profile(folder):
    """Write a trace of four steps on the processor, of a loop with a data loader, and the table of its averages."""
    import gzip

    import torch
    from torch.profiler import ProfilerActivity, profile, schedule
    from torch.utils.data import DataLoader, TensorDataset

    torch.manual_seed(0)
    torch.set_num_threads(1)
    path = folder / "torch.pt.trace.json"
    data = DataLoader(TensorDataset(torch.randn(64, 8), torch.randn(64, 1)), batch_size=8)
    model = torch.nn.Linear(8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    plan = schedule(wait=1, warmup=1, active=4, repeat=1)
    with profile(
        activities=[ProfilerActivity.CPU], schedule=plan, on_trace_ready=lambda one: one.export_chrome_trace(str(path))
    ) as profiler:
        for inputs, targets in data:
            optimizer.zero_grad()
            torch.nn.functional.mse_loss(model(inputs), targets).backward()
            optimizer.step()
            profiler.step()
    (folder / "key_averages.txt").write_text(profiler.key_averages().table(sort_by="cpu_time_total", row_limit=10))
    path.with_suffix(".json.gz").write_bytes(gzip.compress(path.read_bytes(), 9, mtime=0))
    path.unlink()


def jax_profile(folder):
    """Write a trace of three steps on the processor; JAX writes it with XProf's code, as TensorFlow does."""
    import jax

    squared = jax.jit(lambda one: jax.numpy.tanh(one @ one).sum())
    ones = jax.numpy.ones((64, 64))
    squared(ones).block_until_ready()
    jax.profiler.start_trace(str(folder))
    for number in range(10, 13):
        with jax.profiler.StepTraceAnnotation("train", step_num=number):
            squared(ones).block_until_ready()
    jax.profiler.stop_trace()
    (trace,) = folder.rglob("*.trace.json.gz")
    trace.replace(folder / "jax.trace.json.gz")
    shutil.rmtree(folder / "plugins")


if __name__ == "__main__":
    folder, name = Path(sys.argv[1]).resolve(), sys.argv[2]
    shutil.rmtree(folder / name, ignore_errors=True)
    (folder / name).mkdir(parents=True)
    globals()[name](folder / name)
