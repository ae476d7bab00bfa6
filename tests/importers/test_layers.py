from __future__ import annotations

import pytest

from trainreport.importers.layers import layer_meaning


@pytest.mark.parametrize(
    ("tag", "series"),
    [
        ("gradients/conv1.weight", "gradient/norm/conv1.weight"),
        ("grad/conv1/weight", "gradient/norm/conv1/weight"),
        ("conv1.weight.grad", "gradient/norm/conv1.weight"),
        ("conv1.weight_grad", "gradient/norm/conv1.weight"),
        ("train/Gradients/layer 1", "gradient/norm/layer_1"),
        ("gradients", "gradient/norm/all"),
        ("dense/kernel_0", "weight/norm/dense/kernel_0"),
        ("layer1/bias", "weight/norm/layer1/bias"),
        ("Conv1/weights", "weight/norm/conv1"),
        ("activations/relu1", "activation/norm/relu1"),
        ("inference/summaries/histogram", "histogram/norm/inference/summaries"),
        ("upgrade", "histogram/norm/upgrade"),
    ],
)
def test_layers_keep_their_names(tag, series):
    assert layer_meaning(tag, "norm", None, "why").series == series


def test_gradients_and_weights_belong_to_training():
    assert layer_meaning("gradients/w", "min", "validation", "").phase == "train"
    assert layer_meaning("dense/kernel_0", "min", "validation", "").phase == "train"
    assert layer_meaning("activations/x", "min", "validation", "").phase == "validation"
    assert layer_meaning("val/activations/x", "min", None, "").phase == "validation"


def test_no_layer_is_taken_for_the_norm_of_all_gradients():
    assert layer_meaning("gradients", "norm", None, "").series != "gradient/norm"
