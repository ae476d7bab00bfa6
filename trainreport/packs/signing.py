"""Signs a pack with ed25519 and checks it: a raw signature over the tagmanifest, and an in-toto statement in a DSSE envelope.

Keys are PEM files, given by their path only. Nothing of a private key stands in a message.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from trainreport._optional import require
from trainreport.errors import InputError, UsageError
from trainreport.model.digest import canonical_json
from trainreport.packs.bag import BAGIT, INFO, MANIFEST, SIGNATURE, STATEMENT, TAGMANIFEST, TOKEN

if TYPE_CHECKING:
    from pathlib import Path

    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

__all__ = ["Envelope", "fingerprint", "load_private", "load_public", "parse_statement", "signature_fits", "signatures", "signed_text"]

_TYPE = "application/vnd.in-toto+json"
_PURPOSE = "signing and checking signatures"
_LARGEST_KEY = 1 << 16


@dataclass(frozen=True, slots=True)
class Envelope:
    """A DSSE envelope whose form is sound; whether its signature fits is another question."""

    payload: bytes
    signature: bytes
    keyid: str
    subjects: dict[str, str]
    """Name of a tag file -> SHA-256."""


def load_private(path: Path) -> Ed25519PrivateKey:
    """Return the private key in an unencrypted PEM file.

    Raises
    ------
    UsageError
        If it holds none.
    """
    require("cryptography", _PURPOSE)
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    key = _loaded(path, lambda text: load_pem_private_key(text, None))
    if not isinstance(key, Ed25519PrivateKey):
        raise UsageError(f"{path}: no unencrypted ed25519 private key; make one with `openssl genpkey -algorithm ed25519 -out key.pem`")
    return key


def load_public(path: Path) -> Ed25519PublicKey:
    """Return the public key in a PEM file.

    Raises
    ------
    UsageError
        If it holds none.
    """
    require("cryptography", _PURPOSE)
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    key = _loaded(path, load_pem_public_key)
    if not isinstance(key, Ed25519PublicKey):
        raise UsageError(f"{path}: no ed25519 public key; make one with `openssl pkey -in key.pem -pubout -out pub.pem`")
    return key


def _loaded(path: Path, read: Any) -> object:
    """Return what `read` makes of a PEM file, None where it makes nothing of it."""
    from cryptography.exceptions import UnsupportedAlgorithm

    try:
        with path.open("rb") as stream:
            text = stream.read(_LARGEST_KEY)
    except OSError as error:
        raise InputError(f"{path}: the key cannot be read: {error.strerror or error}") from None
    try:
        found: object = read(text)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        return None
    return found


def fingerprint(key: Ed25519PublicKey) -> str:
    """Return the SHA-256 of the public key, to be compared with what its owner published."""
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    return hashlib.sha256(key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).hexdigest()


def signature_fits(key: Ed25519PublicKey, signature: bytes, text: bytes) -> bool:
    """Return whether `signature` is that of `text` by the owner of `key`."""
    from cryptography.exceptions import InvalidSignature

    try:
        key.verify(signature, text)
    except InvalidSignature:
        return False
    return True


def signatures(key: Ed25519PrivateKey, tags: dict[str, bytes], predicate: dict[str, Any]) -> dict[str, bytes]:
    """Return the two signature files of a pack; `tags` are its tag files, and its time stamp where it has one."""
    subjects = [
        {"name": name, "digest": {"sha256": hashlib.sha256(tags[name]).hexdigest()}}
        for name in (TAGMANIFEST, MANIFEST, INFO, BAGIT, TOKEN)
        if name in tags
    ]
    statement = {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": subjects,
        "predicateType": "https://in-toto.io/attestation/test-result/v0.1",
        "predicate": predicate,
    }
    payload = canonical_json(statement).encode()
    one = {"keyid": fingerprint(key.public_key()), "sig": _base64(key.sign(signed_text(payload)))}
    envelope = {"payload": _base64(payload), "payloadType": _TYPE, "signatures": [one]}
    return {SIGNATURE: key.sign(tags[TAGMANIFEST]), STATEMENT: canonical_json(envelope).encode() + b"\n"}


def signed_text(payload: bytes) -> bytes:
    """Return what a DSSE envelope signs: its pre-authentication encoding."""
    return b"DSSEv1 %d %s %d %s" % (len(_TYPE), _TYPE.encode(), len(payload), payload)


def parse_statement(content: bytes) -> Envelope:
    """Return the envelope in a statement file.

    Raises
    ------
    ValueError
        If it is not exactly what `signatures` writes, byte for byte.
    """
    try:
        envelope = json.loads(content)
        [one] = envelope["signatures"]
        payload = base64.b64decode(envelope["payload"], validate=True)
        statement = json.loads(payload)
        found = Envelope(
            payload,
            base64.b64decode(one["sig"], validate=True),
            str(one["keyid"]),
            {str(subject["name"]): str(subject["digest"]["sha256"]) for subject in statement["subject"]},
        )
        again = {"payload": _base64(payload), "payloadType": _TYPE, "signatures": [{"keyid": found.keyid, "sig": _base64(found.signature)}]}
        sound = canonical_json(again).encode() + b"\n" == content and canonical_json(statement).encode() == payload
    except (KeyError, TypeError, AttributeError, RecursionError, UnicodeError, binascii.Error) as error:
        raise ValueError(f"no DSSE envelope of a statement ({type(error).__name__})") from None
    if not sound:
        raise ValueError("not in its canonical form")
    return found


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode()
