"""How often the detectors are right: ``python -m benchmarks.accuracy FOLDER``."""
