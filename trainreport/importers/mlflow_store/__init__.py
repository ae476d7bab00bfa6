"""Parts of the reader of MLflow file stores."""
