"""What W&B writes on disk: the records of ``run-*.wandb``, and the files beside it."""
