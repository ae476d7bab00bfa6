"""Runs the command line as ``python -m trainreport``."""

from trainreport.cli import main

main()
