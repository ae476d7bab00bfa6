"""What the signatures of a pack vouch for, and which of them does not fit."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from trainreport.packs import signing
from trainreport.packs.bag import BAGIT, INFO, MANIFEST, SIGNATURE, SIGNED_WITH, STATEMENT, TAGMANIFEST, listing
from trainreport.packs.names import shown

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

__all__ = ["BESIDE", "Change", "Checked", "unasked", "vouched"]

BESIDE = (SIGNATURE, STATEMENT)
_BYTES = 64
"""Length of an ed25519 signature."""


@dataclass(frozen=True, slots=True)
class Change:
    """One file that is not as it was packed."""

    kind: Literal["changed", "missing", "added"]
    file: str
    what: str

    def __str__(self) -> str:
        return f"{self.kind}: {shown(self.file)}: {self.what}"


@dataclass(slots=True)
class Checked:
    """What a check has found."""

    changes: list[Change] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    signed: bool = False
    """Whether there is a signature."""
    signed_with: str | None = None
    """Fingerprint of the key, where it was given and fits."""
    stamped: str | None = None
    """When the tagmanifest was stamped, as the time stamp in the pack says."""
    files: int = 0
    """Files whose digest was found right."""

    def changed(self, file: str, what: str) -> None:
        """Note a file that changed, once."""
        if file not in {one.file for one in self.changes}:
            self.changes.append(Change("changed", file, what))

    def missing(self, file: str, what: str) -> None:
        """Note a file that is missing."""
        self.changes.append(Change("missing", file, what))


def vouched(texts: dict[str, bytes], key: Ed25519PublicKey | None, found: Checked) -> dict[str, str]:
    """Check both signatures; return the digests of tag files that they vouch for, none without a key."""
    there = [name for name in BESIDE if name in texts]
    if there or key is not None:
        for name in BESIDE:
            if name not in texts:
                found.missing(name, "the pack is signed, and this part of its signature is gone" if there else "the pack is not signed")
    envelope = _envelope(texts, found)
    raw = texts.get(SIGNATURE)
    if raw is not None and len(raw) != _BYTES:
        found.changed(SIGNATURE, f"it has {len(raw)} bytes, an ed25519 signature has {_BYTES}")
    if key is None:
        return {}
    listed = texts.get(TAGMANIFEST, b"")
    signed = raw is not None and signing.signature_fits(key, raw, listed)
    stated = envelope is not None and signing.signature_fits(key, envelope.signature, signing.signed_text(envelope.payload))
    found.signed_with = signing.fingerprint(key) if signed and stated else None
    if envelope is None or not stated:
        _accuse(texts, key, found, signed=signed)
        return {TAGMANIFEST: hashlib.sha256(listed).hexdigest()} if signed else {}
    if raw is not None and not signed and hashlib.sha256(listed).hexdigest() == envelope.subjects.get(TAGMANIFEST):
        found.changed(SIGNATURE, "it is not the signature of this tagmanifest")
    if envelope.keyid != signing.fingerprint(key):
        found.changed(STATEMENT, "it names another key than the one that signed it")
    return envelope.subjects


def unasked(texts: dict[str, bytes], found: Checked) -> None:
    """Without a key: say what is missing of the signatures, and whether the statement speaks of these lists."""
    if not found.signed and re.search(rb"^%s:" % SIGNED_WITH.encode(), texts.get(INFO, b""), re.MULTILINE):
        for name in BESIDE:
            found.missing(name, f"{INFO} says that the pack was signed")
    if found.changes or STATEMENT not in texts:
        return
    for name, sha in signing.parse_statement(texts[STATEMENT]).subjects.items():
        if name not in texts:
            found.missing(name, f"{STATEMENT} speaks of it")
        elif hashlib.sha256(texts[name]).hexdigest() != sha:
            found.changed(STATEMENT, f"it gives another digest of {name}")


def _accuse(texts: dict[str, bytes], key: Ed25519PublicKey, found: Checked, *, signed: bool) -> None:
    """Name what does not fit, where the statement is not by this key."""
    if signed and STATEMENT in texts:
        found.changed(STATEMENT, "its signature does not fit")
    elif not signed:
        text = f"not by the key given, {signing.fingerprint(key)}; or it was changed"
        broken = any(one.file == STATEMENT for one in found.changes)
        suspect = TAGMANIFEST if broken and not _consistent(texts) else SIGNATURE
        for name in {suspect, STATEMENT} & set(texts):
            found.changed(name, text)


def _consistent(texts: dict[str, bytes]) -> bool:
    """Return whether the tagmanifest is what the other tag files give."""
    digests = {name: hashlib.sha256(texts[name]).hexdigest() for name in (BAGIT, INFO, MANIFEST) if name in texts}
    return texts.get(TAGMANIFEST) == listing(digests)


def _envelope(texts: dict[str, bytes], found: Checked) -> signing.Envelope | None:
    if STATEMENT not in texts:
        return None
    try:
        return signing.parse_statement(texts[STATEMENT])
    except ValueError as error:
        found.changed(STATEMENT, str(error))
        return None
