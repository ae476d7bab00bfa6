"""What an event file tells besides its numbers, in the words of the model: events, status, written hyperparameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainreport.importers.params import params_of_json
from trainreport.importers.recording import Event

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trainreport.importers.tfevents.log import EventLog
    from trainreport.model.run import Status

__all__ = ["events_of", "status_of", "written_lines", "written_params"]

_GRAPHS = {
    "graph_def": "the model's graph is in the file",
    "meta_graph_def": "the model's graph is in the file, with what is needed to train on",
    "run_metadata": "a profile of one step is in the file",
}
_VERSION_ONLY = "the file holds its version only: a writer was opened, and nothing was written"
_AT_ONCE_S = 1.0


def events_of(name: str, log: EventLog, *, is_empty: bool) -> tuple[Event, ...]:
    """Return what happened, in the order of the file; `is_empty` if it holds neither numbers nor damage."""
    facts = log.facts
    restarts = [
        (offset, Event("restart", "the writer started again", time_s, step, "warning", name)) for offset, time_s, step in facts.restarts
    ]
    texts = [
        (text.offset, Event("text", f"{text.tag}: {text.text}", text.time_s, text.step, file=name))
        for text in facts.texts
        if facts.plugin(text.tag) == "text"
    ]
    graphs = [(offset, Event("graph", _GRAPHS[kind], time_s, step, file=name)) for kind, (offset, time_s, step) in facts.graphs.items()]
    found = [event for _, event in sorted(restarts + texts + graphs, key=lambda pair: pair[0])]
    if facts.texts_left_out:
        found.append(Event("notice", f"{facts.texts_left_out:,} more texts were not kept", file=name))
    if is_empty:
        holds_something = any((facts.plugins, facts.texts, facts.graphs, facts.others, facts.restarts))
        found.append(Event("notice", "the file holds no scalars" if holds_something else _VERSION_ONLY, file=name))
    return tuple(found)


def status_of(log: EventLog) -> Status:
    """Return how the session ended, where that was written behind the last number and not together with its start.

    PyTorch and Lightning write "success" with the hyperparameters, when training may only begin.
    """
    start, end, places = log.facts.session_start, log.facts.session_end, log.columns.places
    if end is None or (len(places) and end[0] < places[-1]):
        return "unknown"
    if start is not None and not end[2] - start > _AT_ONCE_S:
        return "unknown"
    return "finished" if end[1] == "finished" else "failed"


def written_params(log: EventLog) -> dict[str, str]:
    """Return hyperparameters written as a text, as Hugging Face does with its arguments and the model's configuration."""
    params: dict[str, str] = {}
    for name, text in _named(log):
        params |= params_of_json(text, "" if name == "args" else f"{name}/")
    return params


def written_lines(log: EventLog) -> dict[str, str]:
    """Return the texts of one line by their names, as ``add_text("git_commit", ...)`` writes them."""
    return {name: text for name, text in _named(log) if "\n" not in text.strip()}


def _named(log: EventLog) -> Iterator[tuple[str, str]]:
    """Yield texts, each under the name that it was given."""
    for text in log.facts.texts:
        if log.facts.plugin(text.tag) == "text":
            yield text.tag.removesuffix("/text_summary"), text.text
