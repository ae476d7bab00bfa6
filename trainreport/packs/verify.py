"""Checks a pack and says which file changed, is missing, or was added.

Trust goes from the key to the statement and the raw signature, to the tagmanifest, to the manifest, to the files. A list
that is itself in doubt accuses no file: it is named, and what it lists is left unchecked.
"""

from __future__ import annotations

import hashlib
import re
from contextlib import suppress
from typing import TYPE_CHECKING

from trainreport._optional import require
from trainreport.errors import InputError, MissingDependencyError
from trainreport.packs import bag, stamp, trust
from trainreport.packs.bag import BAGIT, INFO, MANIFEST, SIGNATURE, STATEMENT, TAGMANIFEST, TOKEN
from trainreport.packs.names import fault, shown
from trainreport.packs.source import Unreadable, blocks, opened
from trainreport.packs.trust import Change, Checked

if TYPE_CHECKING:
    from pathlib import Path

    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    from trainreport.packs.source import Entry

__all__ = ["verify"]

_TAGS = (BAGIT, INFO, MANIFEST)
_LARGEST = {
    BAGIT: 1 << 10,
    INFO: 1 << 20,
    MANIFEST: 64 << 20,
    TAGMANIFEST: 1 << 20,
    SIGNATURE: 1 << 10,
    STATEMENT: 1 << 20,
    TOKEN: stamp.LARGEST,
}
_HOSTILE = 1 << 30
"""Bytes from which on a list is no accident."""
_LINE = re.compile(r"([0-9a-f]{64})  (.+)")


def verify(path: Path, key: Ed25519PublicKey | None = None) -> Checked:
    """Check a pack, folder or zip, in bounded memory and writing nothing.

    Parameters
    ----------
    path : Path
    key : Ed25519PublicKey, optional
        The signer's public key, from another place than the pack.

    Raises
    ------
    InputError
        If it is no pack, or is refused because it could harm.
    """
    with opened(path) as entries:
        if not any(name in entries for name in (BAGIT, MANIFEST, TAGMANIFEST)):
            raise InputError(f"{path}: no pack: {BAGIT} and the manifests are missing")
        texts = _tag_texts(entries)
        found = Checked(signed=any(name in texts for name in trust.BESIDE))
        subjects = trust.vouched(texts, key, found)
        known = _tagmanifest(texts, subjects, found)
        _tag_files(entries, texts, known, found)
        _time_stamp(texts, known, found)
        _payload(entries, texts, known, found)
        if key is None:
            trust.unasked(texts, found)
    found.changes.sort(key=lambda one: (one.file, one.kind))
    return found


def _tag_texts(entries: dict[str, Entry]) -> dict[str, bytes]:
    """Return the files that are read whole; of one larger than any pack's only so much that it cannot pass for one."""
    texts = {}
    for name, limit in _LARGEST.items():
        if name not in entries:
            continue
        if entries[name].size > _HOSTILE:
            raise InputError(f"refused: {name} has {entries[name].size:,} bytes, more than any pack's")
        content = bytearray()
        with suppress(Unreadable):
            for block in blocks(entries[name]):
                content += block[: limit + 1 - len(content)]
                if len(content) > limit:
                    break
        texts[name] = bytes(content)
    return texts


def _tagmanifest(texts: dict[str, bytes], subjects: dict[str, str], found: Checked) -> dict[str, str]:
    """Return the digest of every tag file, from the statement where it vouches, else from the tagmanifest."""
    if TAGMANIFEST not in texts:
        found.missing(TAGMANIFEST, "nothing says what the other lists should be")
        return subjects
    vouched = subjects.get(TAGMANIFEST)
    if vouched is not None and vouched != _sha256(texts[TAGMANIFEST]):
        found.changed(TAGMANIFEST, "the signed statement gives another digest")
        return subjects
    lines = _lines(TAGMANIFEST, texts[TAGMANIFEST], found)
    if lines is not None and set(lines) != set(_TAGS):
        found.changed(TAGMANIFEST, f"it lists {', '.join(shown(name) for name in sorted(lines))[:200]}; expected {', '.join(_TAGS)}")
        lines = None
    return {**(lines or {}), **subjects}


def _tag_files(entries: dict[str, Entry], texts: dict[str, bytes], known: dict[str, str], found: Checked) -> None:
    sure = found.signed_with is not None
    for name in _TAGS:
        if name not in texts:
            found.missing(name, "it was in the pack when it was made")
        elif known.get(name) not in (None, _sha256(texts[name])):
            found.changed(name, "its digest is another" if sure else f"{TAGMANIFEST} gives another digest; one of the two changed")
        elif name in known:
            found.files += 1
    if BAGIT in texts and texts[BAGIT] != bag.DECLARATION:
        found.changed(BAGIT, "it does not declare BagIt 1.0 in UTF-8")
    for name in sorted(entries):
        if not name.startswith("data/") and name not in (*_TAGS, *trust.BESIDE, TAGMANIFEST, TOKEN):
            found.changes.append(Change("added", name, "no list names it"))


def _time_stamp(texts: dict[str, bytes], known: dict[str, str], found: Checked) -> None:
    """Check the time stamp: against the statement where it speaks of it, and that it is of this tagmanifest."""
    if TOKEN not in texts:
        if TOKEN in known:
            found.missing(TOKEN, "the signed statement speaks of it")
        return
    if known.get(TOKEN) not in (None, _sha256(texts[TOKEN])):
        found.changed(TOKEN, "the signed statement gives another digest")
        return
    try:
        require("asn1crypto", "reading the time stamp")
        read = stamp.parse(texts[TOKEN])
    except MissingDependencyError as error:
        found.notes.append(f"{TOKEN} was not looked into: {error}")
    except ValueError as error:
        found.changed(TOKEN, str(error))
    else:
        if TAGMANIFEST in {one.file for one in found.changes}:
            return  # what it stamped is gone
        if read.fits(texts.get(TAGMANIFEST, b"")):
            found.stamped = read.at
        else:
            found.changed(TOKEN, f"it stamps something else than {TAGMANIFEST}")


def _payload(entries: dict[str, Entry], texts: dict[str, bytes], known: dict[str, str], found: Checked) -> None:
    """Check the files below ``data/``, where their list is not in doubt."""
    suspect = {one.file for one in found.changes}
    if MANIFEST in suspect or MANIFEST not in texts or (TAGMANIFEST in suspect and MANIFEST not in known):
        found.notes.append("the files below data/ were not checked: the list of their digests is in doubt or missing")
        return
    lines = _lines(MANIFEST, texts[MANIFEST], found)
    if lines is None:
        return
    outside = [name for name in lines if not name.startswith("data/")]
    if outside:
        raise InputError(f"refused: {MANIFEST} lists {shown(outside[0])!r}, which is not below data/")
    octets = _octets(texts) if INFO not in suspect else None
    for name, sha in lines.items():
        if name not in entries:
            found.missing(name, f"{MANIFEST} lists it")
        elif octets is not None and entries[name].size > octets:
            found.changed(name, f"it has {entries[name].size:,} bytes, all files together had {octets:,}")
        else:
            _compare(entries[name], sha, found)
    for name in sorted(entries):
        emptied = name.endswith("/") and any(listed.startswith(name) for listed in lines)  # its files are told as missing
        if name.startswith("data/") and name not in lines and not emptied:
            found.changes.append(Change("added", name, f"{MANIFEST} does not list it"))


def _compare(entry: Entry, sha: str, found: Checked) -> None:
    digest = hashlib.sha256()
    try:
        for block in blocks(entry):
            digest.update(block)
    except Unreadable as error:
        found.changed(entry.name, f"it cannot be read: {error}")
        return
    if digest.hexdigest() != sha:
        found.changed(entry.name, "its digest is another")
    else:
        found.files += 1


def _lines(name: str, content: bytes, found: Checked) -> dict[str, str] | None:
    """Return the digests that a list gives, None where it is no such list."""
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        found.changed(name, f"it is not valid UTF-8 at byte {error.start}")
        return None
    digests: dict[str, str] = {}
    for number, line in enumerate(text.split("\n")[:-1] if text.endswith("\n") else [], start=1):
        match = _LINE.fullmatch(line)
        if match is None:
            found.changed(name, f"line {number} is no digest with a name")
            return None
        wrong = fault(match[2])
        if wrong is not None:
            raise InputError(f"refused: {name}, line {number}: {shown(match[2])!r}: {wrong}")
        if match[2] in digests:
            raise InputError(f"refused: {name}, line {number}: {shown(match[2])!r} is listed twice")
        digests[match[2]] = match[1]
    if not digests:
        found.changed(name, "it is empty or cut off")
        return None
    return digests


def _octets(texts: dict[str, bytes]) -> int | None:
    """Return how many bytes the payload had, as ``bag-info.txt`` says."""
    match = re.search(rb"^Payload-Oxum: (\d{1,18})\.\d+$", texts.get(INFO, b""), re.MULTILINE)
    return int(match[1]) if match else None


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
