"""Time and memory of reading TensorBoard logs, beside what reads them otherwise; ``python -m benchmarks.reading``."""
