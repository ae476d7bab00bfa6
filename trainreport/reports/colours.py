"""The colours of charts, on light and on dark paper. The same stand in ``templates/report.css``."""

from __future__ import annotations

__all__ = ["DARK", "LIGHT"]

LIGHT = {
    "ink": "#1b2733",
    "quiet": "#5b6670",
    "rule": "#d5dbe1",
    "accent": "#1f5fa8",
    "second": "#8a949d",
    "bad": "#b3261e",
    "good": "#2e7d4f",
    "warn": "#8a5a00",
    "paper": "#ffffff",
}
DARK = {
    "ink": "#e6ebf0",
    "quiet": "#a3adb7",
    "rule": "#3a4651",
    "accent": "#7fb2ec",
    "second": "#7f8a95",
    "bad": "#ff8a80",
    "good": "#7ccf9d",
    "warn": "#e3b341",
    "paper": "#161d24",
}
