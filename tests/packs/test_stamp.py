"""Time stamps, made by an authority that openssl plays."""

from __future__ import annotations

import shutil

import pytest
from packs.conftest import ITEMS, call, openssl, small

from trainreport.errors import InputError
from trainreport.packs import bag, signing, stamp
from trainreport.packs.verify import verify

CONFIG = """[tsa]
default_tsa = one
[one]
serial = {folder}/serial
crypto_device = builtin
signer_cert = {folder}/tsa.pem
signer_key = {folder}/tsa.key
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256, sha512, sha1
"""
EXTENSIONS = ["-addext", "extendedKeyUsage=critical,timeStamping", "-addext", "keyUsage=critical,digitalSignature"]


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    """Return a function: a time stamp of a file."""
    folder = tmp_path_factory.mktemp("tsa")
    (folder / "tsa.cnf").write_text(CONFIG.format(folder=folder))
    (folder / "serial").write_text("01\n")
    subject = ["-newkey", "rsa:2048", "-nodes", "-subj", "/CN=Test TSA", "-days", "30"]
    made = openssl("req", "-x509", *subject, "-keyout", folder / "tsa.key", "-out", folder / "tsa.pem", *EXTENSIONS)
    assert made.returncode == 0, made.stderr

    def stamped(file, target, digest="-sha256", bare=False):
        assert openssl("ts", "-query", "-data", file, digest, "-cert", "-out", folder / "q.tsq").returncode == 0
        form = ["-token_out"] if bare else []
        made = openssl("ts", "-reply", "-config", folder / "tsa.cnf", "-queryfile", folder / "q.tsq", "-out", target, *form)
        assert made.returncode == 0, made.stderr
        return target

    stamped.certificate = folder / "tsa.pem"
    return stamped


def with_token(target, key_file, token):
    key = signing.load_private(key_file) if key_file else None

    def beside(tags):
        stamped = {bag.TOKEN: stamp.fitting(token, tags[bag.TAGMANIFEST])}
        return {**stamped, **(signing.signatures(key, {**tags, **stamped}, {}) if key else {})}

    bag.write(target, "root", ITEMS, [(bag.SIGNED_WITH, "x")] if key_file else [], beside, replace=False)
    return target


@pytest.fixture
def stamped(tmp_path, authority, keys):
    """Return a signed pack with its time stamp."""
    bag.write(tmp_path / "first", "root", ITEMS, [(bag.SIGNED_WITH, "x")], None, replace=False)
    token = authority(tmp_path / "first" / bag.TAGMANIFEST, tmp_path / "x.tsr").read_bytes()
    return with_token(tmp_path / "stamped", keys.private, token)


def test_openssl_and_verify_agree_on_the_stamp(stamped, authority, keys):
    files = ["-data", stamped / bag.TAGMANIFEST, "-in", stamped / bag.TOKEN, "-CAfile", authority.certificate]
    assert openssl("ts", "-verify", *files).returncode == 0
    found = verify(stamped, signing.load_public(keys.public))
    assert (found.changes, found.notes) == ([], [])
    told = openssl("ts", "-reply", "-in", stamped / bag.TOKEN, "-text").stdout
    assert found.stamped[11:19] in told
    assert f"says that the lists stood at {found.stamped}" in call("verify", stamped).stdout


@pytest.mark.parametrize("bare", [True, False])
@pytest.mark.parametrize("digest", ["-sha256", "-sha512"])
def test_forms_that_authorities_use(tmp_path, authority, bare, digest):
    file = tmp_path / "file"
    file.write_bytes(b"content")
    read = stamp.parse(authority(file, tmp_path / "t", digest, bare).read_bytes())
    assert (read.algorithm, read.fits(b"content"), read.fits(b"other")) == (digest[1:], True, False)


def test_a_digest_that_is_broken_proves_nothing(tmp_path, authority):
    file = tmp_path / "file"
    file.write_bytes(b"content")
    assert not stamp.parse(authority(file, tmp_path / "t", "-sha1").read_bytes()).fits(b"content")


def test_a_stamp_of_something_else_is_refused_and_found(tmp_path, authority, keys):
    other = tmp_path / "other"
    other.write_bytes(b"other")
    token = authority(other, tmp_path / "x.tsr")
    with pytest.raises(InputError, match="of something else than this pack"):
        with_token(tmp_path / "pack", None, token.read_bytes())
    assert not (tmp_path / "pack").exists()
    pack = small(tmp_path / "plain")
    shutil.copy(token, pack / bag.TOKEN)
    assert [(one.file, one.what) for one in verify(pack).changes] == [(bag.TOKEN, f"it stamps something else than {bag.TAGMANIFEST}")]


def test_a_stamp_that_the_statement_speaks_of_cannot_be_changed_or_taken_away(stamped, keys):
    key, token = signing.load_public(keys.public), (stamped / bag.TOKEN).read_bytes()
    for at in range(0, len(token), 37):
        (stamped / bag.TOKEN).write_bytes(token[:at] + bytes([token[at] ^ 1]) + token[at + 1 :])
        assert [(one.kind, one.file) for one in verify(stamped, key).changes] == [("changed", bag.TOKEN)]
    (stamped / bag.TOKEN).unlink()
    for one in (key, None):
        assert [(one.kind, one.file) for one in verify(stamped, one).changes] == [("missing", bag.TOKEN)]


def test_a_stamp_may_be_laid_beside_later(tmp_path, authority, keys):
    pack = small(tmp_path / "pack", keys.private)
    authority(pack / bag.TAGMANIFEST, pack / bag.TOKEN)
    found = verify(pack, signing.load_public(keys.public))
    assert found.changes == []
    assert found.stamped


@pytest.mark.parametrize("content", [b"", b"0", b"\x30\x80", b"\x30\x03\x02\x01\x02", b"\x30" * 5000, bytes(2 << 20), b"-----BEGIN"])
def test_what_is_no_stamp(tmp_path, content):
    with pytest.raises(ValueError, match="no RFC 3161 time stamp"):
        stamp.parse(content)
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(InputError, match="no RFC 3161 time stamp"):
        stamp.read(tmp_path / "x")
    with pytest.raises(InputError, match="cannot be read"):
        stamp.read(tmp_path / "missing")
