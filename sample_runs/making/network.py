"""A small multilayer perceptron in numpy, and the loop that trains it and keeps its learning curves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from making.data import Split

Schedule = Callable[[float], float]
"""Learning rate as a function of the share of training that is done."""


@dataclass(frozen=True)
class Recipe:
    """How one network is trained."""

    hidden: tuple[int, ...]
    rate: Schedule
    epochs: int
    batch: int
    seed: int
    momentum: float = 0.9
    decay: float = 0.0
    jitter: float = 0.0
    """Standard deviation of the noise added to each training input."""
    gain: float = 1.0
    """Factor on the first weights of the last layer; near 0, training starts at guessing."""
    loss: str = "cross-entropy"
    train_every: int | None = None
    """Steps between logged training values; None: once an epoch."""
    validate_every: int | None = None
    """Steps between validations; None: once an epoch."""
    dtype: type = np.float64
    activation: str = "relu"
    """Between the layers: ``relu`` or ``sigmoid``."""
    shuffled: bool = True
    """Whether each epoch has its own order of rows; else all have that of the data."""
    spoiled: frozenset[int] = frozenset()
    """Steps whose batch was not scaled: its inputs are thirty times too large."""
    norms: bool = False
    """Whether the norms of the gradients are logged with the training values."""


@dataclass
class Record:
    """What is logged at one step."""

    step: int
    values: dict[str, float] = field(default_factory=dict)


class Network:
    """Fully connected layers with ReLU between them, trained by gradient descent with momentum."""

    def __init__(self, sizes: list[int], recipe: Recipe) -> None:
        rng = np.random.default_rng(recipe.seed)
        self.recipe = recipe
        self.weights = [
            (rng.standard_normal((rows, columns)) * np.sqrt(1.0 / rows)).astype(recipe.dtype) for rows, columns in pairwise(sizes)
        ]
        self.weights[-1] *= recipe.dtype(recipe.gain)
        self.biases = [np.zeros(columns, dtype=recipe.dtype) for columns in sizes[1:]]
        self.moving = [np.zeros_like(item) for item in self.weights + self.biases]
        self.norms: list[float] = []
        """Norm of the last gradient of each layer's weights."""

    def forward(self, x: np.ndarray) -> list[np.ndarray]:
        """Return the input and the output of each layer."""
        outputs = [x]
        for index, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            raw = outputs[-1] @ weight + bias
            outputs.append(raw if index == len(self.weights) - 1 else self.activate(raw))
        return outputs

    def activate(self, raw: np.ndarray) -> np.ndarray:
        """Return what a hidden layer makes of its sums."""
        return np.maximum(raw, 0) if self.recipe.activation == "relu" else 1 / (1 + np.exp(-raw))

    def slope(self, output: np.ndarray) -> np.ndarray:
        """Return the slope of the activation where a hidden layer gave `output`."""
        return output > 0 if self.recipe.activation == "relu" else output * (1 - output)

    def judge(self, scores: np.ndarray, y: np.ndarray) -> tuple[float, float, np.ndarray]:
        """Return loss, accuracy and the gradient of the loss with respect to `scores`."""
        rows = np.arange(len(y))
        accuracy = float((scores.argmax(axis=1) == y).mean())
        if self.recipe.loss == "squared":
            wanted = np.zeros_like(scores)
            wanted[rows, y] = 1
            error = scores - wanted
            return float((error**2).sum(axis=1).mean()), accuracy, 2 * error / len(y)
        shifted = scores - scores.max(axis=1, keepdims=True)
        chances = np.exp(shifted)
        chances /= chances.sum(axis=1, keepdims=True)
        loss = float(-np.log(np.maximum(chances[rows, y], 1e-12)).mean())
        chances[rows, y] -= 1
        return loss, accuracy, chances / len(y)

    def step(self, x: np.ndarray, y: np.ndarray, rate: float) -> tuple[float, float]:
        """Learn from one batch; return its loss and accuracy before the step."""
        outputs = self.forward(x)
        loss, accuracy, gradient = self.judge(outputs[-1], y)
        weight_slopes, bias_slopes = [], []
        for index in reversed(range(len(self.weights))):
            weight_slopes.insert(0, outputs[index].T @ gradient + self.recipe.decay * self.weights[index])
            bias_slopes.insert(0, gradient.sum(axis=0))
            gradient = (gradient @ self.weights[index].T) * self.slope(outputs[index])
        if self.recipe.norms:
            self.norms = [float(np.linalg.norm(slope)) for slope in weight_slopes]
        parameters = self.weights + self.biases
        for index, slope in enumerate(weight_slopes + bias_slopes):
            self.moving[index] *= self.recipe.momentum
            self.moving[index] -= rate * slope
            parameters[index] += self.moving[index]
        return loss, accuracy

    def evaluate(self, x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
        """Return loss and accuracy on data that are not learnt from."""
        loss, accuracy, _ = self.judge(self.forward(x)[-1], y)
        return loss, accuracy


def fit(split: Split, recipe: Recipe) -> list[Record]:
    """Train a network by `recipe` and return what was logged, in order of steps.

    Training values are means over the steps since the last logged ones, as most frameworks write them.
    """
    network = Network([split.x_train.shape[1], *recipe.hidden, split.classes], recipe)
    rng = np.random.default_rng(recipe.seed + 1)
    x_train, x_validation = split.x_train.astype(recipe.dtype), split.x_validation.astype(recipe.dtype)
    per_epoch = len(x_train) // recipe.batch
    total = per_epoch * recipe.epochs
    records: list[Record] = []
    since: list[tuple[float, float]] = []
    for step in range(1, total + 1):
        if (step - 1) % per_epoch == 0:
            order = rng.permutation(len(x_train)) if recipe.shuffled else np.arange(len(x_train))
        at = (step - 1) % per_epoch * recipe.batch
        chosen = order[at : at + recipe.batch]
        batch = x_train[chosen]
        if recipe.jitter:
            batch = batch + recipe.jitter * rng.standard_normal(batch.shape)
        if step in recipe.spoiled:
            batch = batch * 30
        rate = recipe.rate((step - 1) / total)
        since.append(network.step(batch, split.y_train[chosen], rate))
        record = Record(step)
        if step % (recipe.train_every or per_epoch) == 0:
            loss, accuracy = np.mean(since, axis=0)
            since.clear()
            record.values |= {"train loss": float(loss), "train accuracy": float(accuracy), "learning rate": rate}
            record.values |= _norms(network) if recipe.norms else {}
        if step % (recipe.validate_every or per_epoch) == 0:
            loss, accuracy = network.evaluate(x_validation, split.y_validation)
            record.values |= {"validation loss": loss, "validation accuracy": accuracy}
        if record.values:
            records.append(record)
    return records


def _norms(network: Network) -> dict[str, float]:
    """Return the norm of the last gradient over all weights, and of each layer's."""
    layers = {f"gradient norm {index}": norm for index, norm in enumerate(network.norms)}
    return {"gradient norm": float(np.linalg.norm(network.norms)), **layers}
