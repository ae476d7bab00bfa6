"""Parts of the reader of nvidia-smi --query-gpu tables."""
