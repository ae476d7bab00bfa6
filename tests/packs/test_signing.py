from __future__ import annotations

import base64
import hashlib
import json

import pytest
from packs.conftest import openssl

from trainreport.errors import InputError, UsageError
from trainreport.packs import bag, signing


def test_openssl_verifies_the_raw_signature(signed, keys):
    arguments = ["-verify", "-pubin", "-rawin", "-in", signed / bag.TAGMANIFEST, "-sigfile", signed / bag.SIGNATURE]
    assert openssl("pkeyutl", *arguments, "-inkey", keys.public).returncode == 0
    assert openssl("pkeyutl", *arguments, "-inkey", keys.other).returncode != 0


def test_openssl_verifies_the_statement(signed, keys, tmp_path):
    envelope = json.loads((signed / bag.STATEMENT).read_text())
    payload = base64.b64decode(envelope["payload"])
    kind = envelope["payloadType"]
    (tmp_path / "pae").write_bytes(f"DSSEv1 {len(kind)} {kind} {len(payload)} ".encode() + payload)
    (tmp_path / "sig").write_bytes(base64.b64decode(envelope["signatures"][0]["sig"]))
    files = ["-inkey", keys.public, "-in", tmp_path / "pae", "-sigfile", tmp_path / "sig"]
    verified = openssl("pkeyutl", "-verify", "-pubin", "-rawin", *files)
    assert verified.returncode == 0, verified.stderr
    statement = json.loads(payload)
    assert statement["_type"] == "https://in-toto.io/Statement/v1"
    digests = {one["name"]: one["digest"]["sha256"] for one in statement["subject"]}
    names = (bag.BAGIT, bag.INFO, bag.MANIFEST, bag.TAGMANIFEST)
    assert digests == {name: hashlib.sha256((signed / name).read_bytes()).hexdigest() for name in names}


def test_the_fingerprint_is_the_digest_of_the_key_in_der(keys, tmp_path):
    assert openssl("pkey", "-pubin", "-in", keys.public, "-outform", "DER", "-out", tmp_path / "der").returncode == 0
    assert signing.fingerprint(signing.load_public(keys.public)) == hashlib.sha256((tmp_path / "der").read_bytes()).hexdigest()


def test_other_keys_are_refused_and_never_shown(tmp_path, keys):
    rsa, locked = tmp_path / "rsa.pem", tmp_path / "locked.pem"
    openssl("genpkey", "-algorithm", "rsa", "-pkeyopt", "rsa_keygen_bits:1024", "-out", rsa)
    openssl("pkey", "-in", keys.private, "-aes256", "-passout", "pass:x", "-out", locked)
    nothing = tmp_path / "nothing.pem"
    nothing.write_text("secret words")
    for path in (rsa, locked, nothing, keys.public):
        with pytest.raises(UsageError, match="no unencrypted ed25519 private key") as error:
            signing.load_private(path)
        assert "secret words" not in str(error.value)
    for path in (rsa, nothing, keys.private):
        with pytest.raises(UsageError, match="no ed25519 public key"):
            signing.load_public(path)
    with pytest.raises(InputError, match="cannot be read"):
        signing.load_private(tmp_path / "missing.pem")
