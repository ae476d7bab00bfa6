"""The example notebooks run from top to bottom, and are kept without outputs."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import trainreport

FOLDER = Path(__file__).resolve().parent.parent / "sample_runs" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_is_kept_without_outputs(path):
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed: pip install nbformat")
    text = path.read_text()
    nbformat.validate(nbformat.reads(text, 4))
    kept = json.loads(text)
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in kept["cells"] if cell["cell_type"] == "code")
    assert all(cell["metadata"] == {} for cell in kept["cells"])
    assert set(kept["metadata"]) == {"kernelspec", "language_info"}


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    """Run every notebook in a kernel of its own, with this trainreport."""
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed: pip install nbclient ipykernel")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed: pip install ipykernel")
    import nbformat

    home = str(Path(trainreport.__file__).resolve().parent.parent)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([home, os.environ.get("PYTHONPATH", "")]), "MPLBACKEND": ""}
    environment["IPYTHONDIR"] = str(tmp_path_factory.mktemp("ipython"))

    def run(path):
        notebook = nbformat.read(path, 4)
        client = nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(FOLDER)}})
        client.execute(env=environment)
        return [output for cell in notebook.cells for output in cell.get("outputs", ())]

    return run


def _texts(outputs):
    return "\n".join(one.get("text") or one.get("data", {}).get("text/plain", "") for one in outputs)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_one_run_from_load_to_decision(executed):
    outputs = executed(FOLDER / "one_run.ipynb")
    told = _texts(outputs)
    assert "lowest at step 86: 0.638" in told
    assert "no-go · return-to-data-preparation" in told
    assert "Validation accuracy fell from 85 % at step 63 to 78 %" in told
    shown = [set(one["data"]) for one in outputs if one.output_type in ("execute_result", "display_data")]
    assert {"text/html", "text/plain"} in shown
    assert sum("image/png" in kinds for kinds in shown) == 2
    assert {"text/markdown", "text/plain"} in shown
    assert not [one for one in outputs if one.get("name") == "stderr"]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_several_runs(executed):
    outputs = executed(FOLDER / "several_runs.ipynb")
    told = _texts(outputs)
    assert "width-32-decay-0.002-seed-1 leads with 84.8 %" in told
    assert "portfolio written: True" in told
    assert "TR401" in told
    assert not [one for one in outputs if one.get("name") == "stderr"]
