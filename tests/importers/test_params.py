from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trainreport.importers.params import code_version_of, data_version_of, params_of_json, params_of_yaml, seed_of

LIGHTNING = """\
batch_size: 512
ckpt_path: null
gui: true
note: 'a: b'
model:
  name: resnet
  layers: [3, 4]
  deep:
    deeper: 1
  width: 64
milestones:
- 10
- {a: 1}
lr: 1e-3
? [odd, key]
: 5
"""


def test_plain_values_of_two_levels_as_written():
    assert params_of_yaml(LIGHTNING) == {
        "batch_size": "512", "ckpt_path": "null", "gui": "true", "note": "a: b",
        "model/name": "resnet", "model/width": "64", "lr": "1e-3", "?": "5",
    }  # fmt: skip


def test_tags_of_python_make_no_object(tmp_path):
    made = tmp_path / "made"
    text = f"""\
a: !!python/object/apply:os.system ["touch {made}"]
b: !!python/object:argparse.Namespace
  lr: 0.1
c: !!python/name:builtins.print ''
d: !unknown 3
"""
    assert params_of_yaml(text) == {"b/lr": "0.1", "c": "", "d": "3"}
    assert not made.exists()


def test_a_whole_object_is_read_like_a_mapping():
    assert params_of_yaml("!!python/object:argparse.Namespace\nlr: 0.1\nepochs: 3\n") == {"lr": "0.1", "epochs": "3"}


def test_references_are_not_followed():
    laughs = "a: &a [x, x]\n" + "".join(f"k{n}: &k{n} [*a, *a]\n" for n in range(50)) + "b: *a\nc: 1\n"
    assert params_of_yaml(laughs) == {"c": "1"}


def test_depth_costs_nothing():
    try:
        found = params_of_yaml("a: 1\nb: " + "[" * 900 + "]" * 900)
    except ValueError:  # a parser may refuse to go that deep
        found = {"a": "1"}
    assert found == {"a": "1"}


@pytest.mark.parametrize("text", ["", "just text", "- 1\n- 2\n", "# nothing\n"])
def test_what_is_no_mapping_says_nothing(text):
    assert params_of_yaml(text) == {}


def test_the_line_of_a_mistake_is_told():
    with pytest.raises(ValueError, match="line 2"):
        params_of_yaml("a: 1\nb: ]\n")


@settings(deadline=None)
@given(st.text(max_size=60))
def test_any_text_gives_values_or_a_value_error(text):
    try:
        found = params_of_yaml(text)
    except ValueError:
        return
    assert all(isinstance(key, str) and isinstance(value, str) for key, value in found.items())


def test_json_objects_two_levels_deep():
    text = '{"lr": 1e-3, "fp16": false, "none": null, "list": [1], "optim": {"name": "adam", "deep": {"x": 1}}}'
    assert params_of_json(text) == {"lr": "0.001", "fp16": "False", "optim/name": "adam"}
    assert params_of_json('{"a": 1}', "model/") == {"model/a": "1"}


@pytest.mark.parametrize("text", ["", "[1]", "{", "no json", '{"a": ' * 100_000])
def test_what_is_no_json_object_says_nothing(text):
    assert params_of_json(text) == {}


def test_the_seed_by_its_usual_names():
    assert seed_of({"train/seed": "42", "lr": "1"}) == "42"
    assert seed_of({"data_seed": "2", "random_seed": "1"}) == "1"
    assert seed_of({"seed": "null", "lr": "1"}) is None
    assert seed_of({"seed": "nan", "data_seed": "2"}) == "2"


@pytest.mark.parametrize(
    "name",
    ["git_commit", "commit", "git_sha", "git_hash", "code_version", "revision", "hparams/git_commit", "git/commit", "Git-Commit", "git.sha",
     "mlflow.source.git.commit", "args/revision"],
)  # fmt: skip
def test_the_version_of_the_code_by_its_usual_names(name):
    assert code_version_of({"lr": "0.1", name: " 4f2a9c1 "}) == "4f2a9c1"
    assert data_version_of({name: "4f2a9c1"}) is None


@pytest.mark.parametrize(
    "name",
    ["dataset_version", "data_version", "dataset_digest", "dvc_rev", "dataset_revision", "data_hash", "data/version", "dataset.digest",
     "config/dataset_version", "dvc/commit", "data/commit"],
)  # fmt: skip
def test_the_version_of_the_data_by_its_usual_names(name):
    assert data_version_of({"lr": "0.1", name: "v3"}) == "v3"
    assert code_version_of({name: "v3"}) is None


def test_what_is_no_version():
    assert code_version_of({"git_commit": "unknown", "revision": "main", "commit": "null"}) is None
    assert code_version_of({"model/revision": "4f2a9c1", "model_revision": "4f2a9c1", "commit_interval": "100"}) is None
    assert data_version_of({"dataset_version": "latest", "data_dir": "/data", "dataset": "cifar10"}) is None


def test_the_plainest_name_goes_first():
    assert code_version_of({"revision": "1", "git_commit": "2"}) == "2"
