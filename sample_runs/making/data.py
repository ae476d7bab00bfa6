"""The data that the samples learn from: scikit-learn's bundled sets and generators, nothing downloaded."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn import datasets


@dataclass(frozen=True)
class Split:
    """Inputs and labels, apart for training and validation."""

    x_train: np.ndarray
    y_train: np.ndarray
    x_validation: np.ndarray
    y_validation: np.ndarray

    @property
    def classes(self) -> int:
        """Number of classes."""
        return int(max(self.y_train.max(), self.y_validation.max())) + 1


def split(x: np.ndarray, y: np.ndarray, train: int, seed: int) -> Split:
    """Shuffle, take `train` rows for training and the rest for validation, and standardise by the former."""
    order = np.random.default_rng(seed).permutation(len(x))
    first, rest = order[:train], order[train:]
    mean, spread = x[first].mean(axis=0), x[first].std(axis=0)
    x = (x - mean) / np.where(spread > 0, spread, 1)
    return Split(x[first], y[first], x[rest], y[rest])


def digits(train: int, seed: int) -> Split:
    """1,797 hand-written digits of 8 by 8 pixels."""
    return split(*datasets.load_digits(return_X_y=True), train, seed)


def digits_with_wrong_labels(train: int, share: float, seed: int) -> Split:
    """Return the digits with `share` of the training labels replaced by a random other one; validation stays right."""
    clean = digits(train, seed)
    rng = np.random.default_rng(seed + 1)
    wrong = rng.random(train) < share
    labels = np.where(wrong, (clean.y_train + rng.integers(1, 10, train)) % 10, clean.y_train)
    return Split(clean.x_train, labels, clean.x_validation, clean.y_validation)


def moons(train: int, validation: int, noise: float, seed: int) -> Split:
    """Two interleaved half circles: two inputs, two classes, not separable by a line."""
    return split(*datasets.make_moons(train + validation, noise=noise, random_state=seed), train, seed)


def diabetes_above_median(train: int, seed: int) -> Split:
    """442 patients: does the disease progress by more than the median within a year (1) or not (0)."""
    x, y = datasets.load_diabetes(return_X_y=True)
    return split(x, (y > np.median(y)).astype(int), train, seed)


def customers(train: int, validation: int, seed: int) -> Split:
    """Made-up customers: twenty inputs of which eight say something, and one label in ten drawn by lot."""
    x, y = datasets.make_classification(
        train + validation,
        n_features=20,
        n_informative=8,
        n_redundant=4,
        n_clusters_per_class=3,
        flip_y=0.1,
        class_sep=1.0,
        random_state=seed,
    )
    return split(x, y, train, seed)


def breast_cancer(train: int, seed: int) -> Split:
    """569 cell samples, thirty measurements each: benign or malignant."""
    return split(*datasets.load_breast_cancer(return_X_y=True), train, seed)


def shuffled_customers(train: int, validation: int, seed: int) -> Split:
    """Return the customers with their labels joined to the wrong rows, so that there is nothing to learn."""
    right = customers(train, validation, seed)
    labels = np.concatenate([right.y_train, right.y_validation])
    wrong = np.random.default_rng(seed + 1).permutation(labels)
    return Split(right.x_train, wrong[:train], right.x_validation, wrong[train:])


def with_leak(clean: Split, seed: int) -> Split:
    """Return a split with one more input that tells the label, as a field does that is filled in afterwards."""
    rng = np.random.default_rng(seed)

    def told(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return np.column_stack([x, 6.0 * (y - 0.5) + rng.normal(0, 0.5, len(y))])

    return Split(told(clean.x_train, clean.y_train), clean.y_train, told(clean.x_validation, clean.y_validation), clean.y_validation)
