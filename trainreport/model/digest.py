"""Canonical JSON and SHA-256: the same facts always give the same bytes."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

__all__ = ["canonical_json", "fingerprint", "inputs_digest", "sha256_of_file"]

_BLOCK = 1 << 20


def canonical_json(value: object) -> str:
    """Return JSON with sorted keys, no blanks and no NaN."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def sha256_of_file(path: Path) -> str:
    """Return the SHA-256 of a file, read block by block."""
    digest = hashlib.sha256()
    with path.open("rb", buffering=0) as stream:
        while block := stream.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def inputs_digest(files: Iterable[tuple[str, str]]) -> str:
    """Return the SHA-256 over the sorted (path, sha256) pairs of all inputs, the plan among them."""
    pairs = sorted({(path, sha) for path, sha in files})
    return hashlib.sha256(canonical_json(pairs).encode()).hexdigest()


def fingerprint(*parts: str | None) -> str:
    """Return 16 hexadecimal digits that name a finding across re-runs."""
    return hashlib.sha256(canonical_json(parts).encode()).hexdigest()[:16]
