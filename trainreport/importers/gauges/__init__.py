"""Gauges of monitoring systems: their names, their labels, and the recording that is made of them."""
