"""Offline reports on machine-learning training runs."""
