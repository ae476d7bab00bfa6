"""Runs as they were judged, one by one and side by side."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from trainreport import _files
from trainreport.errors import UsageError
from trainreport.notebook.runs import Measures, Shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from matplotlib.axes import Axes

    from trainreport.model.decision import Assessment, Decision
    from trainreport.model.finding import Finding
    from trainreport.model.run import RunLog
    from trainreport.packs.lineage import Parent

__all__ = ["Analysis", "Comparison"]


@dataclass(frozen=True, slots=True, eq=False)
class Analysis(Measures):
    """What was found and decided on one or more runs; shows itself in a notebook."""

    assessment: Assessment
    """Everything, as data."""

    def _all(self) -> tuple[RunLog, ...]:
        return tuple(run.log for run in self.assessment.runs)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings of all runs, gravest first within each run."""
        return tuple(finding for run in self.assessment.runs for finding in run.findings)

    @property
    def decision(self) -> Decision:
        """The recommendation over all runs."""
        return self.assessment.decision

    def plot(self, series: str | None = None, phase: str | None = None, *, run: str | None = None, ax: Axes | None = None) -> Axes:
        """Draw a series, the best checkpoint of a single run marked, and return the matplotlib axes.

        Parameters
        ----------
        series, phase, run, ax
            As in `Runs.plot`; without `series`, what the decision rests on.

        Returns
        -------
        Axes
            For titles, limits and whatever else is to be changed.

        Raises
        ------
        UsageError
            If no run has the series.
        """
        from trainreport.reports import axes

        drawn = Measures.plot(self, series, phase, run=run, ax=ax)
        judged = [one for one in self.assessment.runs if run is None or run in (one.log.run.id, one.log.run.name)]
        best = judged[0].best if len(judged) == 1 else None
        if best is not None and best.series == (series or self._leading_series()) and phase in (None, best.phase):
            axes.mark(drawn, best)
        return drawn

    def render(self, form: str, *, audience: str = "all", language: str = "en", brand: str | Path | None = None) -> bytes:
        """Return the report in a format, such as ``html``.

        Parameters
        ----------
        form : str
            ``html``, ``pdf``, ``markdown``, ``json``, or the name of a format that a plug-in brings.
        audience, language, brand
            As in `report`.

        Returns
        -------
        bytes
            The file; the same analysis gives the same bytes.

        Raises
        ------
        UsageError
            If one of them is not known.
        """
        from trainreport import reports

        if brand is None:
            return reports.render(self.assessment, form, audience, language)
        from trainreport.reports.brand import read_brand

        return reports.render(self.assessment, form, audience, language, read_brand(brand))

    def report(
        self, path: str | Path, *, replace: bool = True, audience: str = "all", language: str = "en", brand: str | Path | None = None
    ) -> Path:
        """Write the report; the suffix says the format: ``.html``, ``.pdf``, ``.md``, ``.json``, or that of a plug-in.

        Parameters
        ----------
        path : str or Path
            Where to write.
        replace : bool
            Replace a file that stands there already.
        audience : str
            Whose parts it holds: ``sponsor``, ``manager``, ``engineer``, ``auditor`` or ``all``. JSON always holds all.
        language : str
            What it is written in: ``en`` or ``de``. JSON is always in English.
        brand : str or Path, optional
            A TOML file with the name, logo, colours and fonts that HTML and PDF carry.

        Returns
        -------
        Path
            The file written.

        Raises
        ------
        UsageError
            If the suffix, the audience or the language is none of these, or the brand file has a fault.
        """
        from trainreport.reports.formats import suffixes

        target, known = Path(path), suffixes()
        form = known.get(target.suffix.lower())
        if form is None:
            raise UsageError(f"{target}: the suffix says the format; expected one of {', '.join(known)}")
        _files.write_whole(target, self.render(form, audience=audience, language=language, brand=brand), replace=replace)
        return target

    def pack(
        self,
        path: str | Path,
        paths: Sequence[Path],
        *,
        key: Ed25519PrivateKey | None = None,
        token: bytes | None = None,
        parents: Sequence[Parent] = (),
        include_logs: bool = False,
        replace: bool = True,
    ) -> int:
        """File the audit pack, and return how many files its payload has.

        Parameters
        ----------
        path : str or Path
            A folder, or a zip where the name ends with ``.zip``.
        paths : sequence of Path
            What was analyzed, to find the logs again.
        key, token, parents, include_logs, replace
            As in `trainreport.packs.create.create`.

        Returns
        -------
        int
            Number of files, those of the bag itself not counted.

        Raises
        ------
        InputError
            If the pack cannot be written, or a log or the lock changed meanwhile.
        OutputExistsError
            If something stands at `path`.
        UsageError
            If the logs are to be included though what is personal was removed.
        """
        from trainreport.packs.create import create
        from trainreport.reports.exports.frame import as_csv, as_parquet

        frame = self.frame
        return create(
            self.assessment,
            {"frame.parquet": as_parquet(frame), "frame.csv": as_csv(frame)},
            Path(path),
            paths=paths,
            key=key,
            token=token,
            parents=parents,
            include_logs=include_logs,
            replace=replace,
        )

    def _leading_series(self) -> str:
        best = self.assessment.leading.best
        return Measures._leading_series(self) if best is None else best.series

    def _one(self, run: str | None) -> RunLog:
        return self.assessment.leading.log if run is None else Measures._one(self, run)

    def _repr_html_(self) -> str:
        from trainreport import reports

        return reports.notebook_summary(self.assessment)

    def __repr__(self) -> str:
        decision = self.assessment.decision
        names = ", ".join(finding.code for finding in self.findings) or "no findings"
        return f"<Analysis of {len(self.assessment.runs)} run(s): {decision.verdict.value}, {decision.next_step.value} · {names}>"

    def __str__(self) -> str:
        from trainreport.reports.exports import text

        return text.render(self.assessment).rstrip("\n")


@dataclass(frozen=True, slots=True, eq=False)
class Comparison(Shown):
    """Several runs side by side, ranked by the plan's criteria; shows itself in a notebook."""

    assessment: Assessment
    """Everything, as data."""

    @property
    def frame(self) -> pd.DataFrame:
        """One run a row, the best first; parameters that differ stand in columns ``param:name``, criteria in ``criterion:id``."""
        import pandas as pd

        from trainreport.reports.comparison import compared
        from trainreport.reports.exports.compared import as_rows

        rows = []
        for row in as_rows(compared(self.assessment)):
            cost, criteria, settings = row.pop("cost"), row.pop("criteria"), row.pop("settings")
            priced = {"cost": None if cost is None else float(cost["amount"]), "currency": cost and cost["currency"]}
            named = {f"criterion:{name}": state for name, state in criteria.items()}
            rows.append({**row, **priced, **named, **{f"param:{name}": value for name, value in settings.items()}})
        return pd.DataFrame(rows).astype({"place": "Int64", "step": "Int64"})

    @property
    def decision(self) -> Decision:
        """The recommendation over all runs."""
        return self.assessment.decision

    def plot(self, series: str | None = None, phase: str | None = None, *, ax: Axes | None = None) -> Axes:
        """Draw one curve a run and return the matplotlib axes.

        Parameters
        ----------
        series, phase, ax
            As in `Runs.plot`; without `series`, what the runs are ranked by.

        Returns
        -------
        Axes
            For titles, limits and whatever else is to be changed.

        Raises
        ------
        UsageError
            If no run has the series.
        """
        return Analysis(self.assessment).plot(series, phase, ax=ax)

    def render(self, form: str) -> str:
        """Return the comparison as a text.

        Parameters
        ----------
        form : str
            ``text``, ``json``, ``markdown`` or ``html``.

        Returns
        -------
        str
            The text; the same comparison gives the same.

        Raises
        ------
        UsageError
            If `form` is none of these.
        """
        from trainreport import reports

        return reports.render_comparison(self.assessment, form)

    def _repr_html_(self) -> str:
        from trainreport.reports import notebook

        return notebook.comparison(self.assessment)

    def __repr__(self) -> str:
        return f"<Comparison of {len(self.assessment.runs)} runs: {self.assessment.decision.verdict.value}>"

    def __str__(self) -> str:
        return self.render("text").rstrip("\n")
