"""Traces of profilers: read piece by piece, kept as intervals, and measured step by step."""
