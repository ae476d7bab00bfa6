"""RFC 3161 time stamps: what a token from a time-stamping authority says of the tagmanifest.

Whether the authority is to be trusted is for ``openssl ts -verify`` with the authority's certificate, from another place than the pack.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainreport._optional import require
from trainreport.errors import InputError
from trainreport.model import clock

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["LARGEST", "Stamp", "fitting", "parse", "read"]

LARGEST = 1 << 20
_DIGESTS = ("sha256", "sha384", "sha512")
_GRANTED = ("granted", "granted_with_mods")
_BROKEN = (ValueError, TypeError, KeyError, AttributeError, IndexError, OverflowError, RecursionError)
"""What asn1crypto raises on bytes that are no token."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """What a token says."""

    at: str
    algorithm: str
    digest: bytes

    def fits(self, content: bytes) -> bool:
        """Return whether it is `content` that was stamped."""
        return self.algorithm in _DIGESTS and hashlib.new(self.algorithm, content).digest() == self.digest


def read(path: Path) -> bytes:
    """Return the token in a file.

    Raises
    ------
    InputError
        If it cannot be read, or holds none.
    """
    require("asn1crypto", "reading a time stamp")
    try:
        with path.open("rb") as stream:
            content = stream.read(LARGEST + 1)
    except OSError as error:
        raise InputError(f"{path}: the time stamp cannot be read: {error.strerror or error}") from None
    try:
        parse(content)
    except ValueError as error:
        raise InputError(f"{path}: {error}; expected what `openssl ts -reply` or a time-stamping authority writes") from None
    return content


def fitting(token: bytes, content: bytes) -> bytes:
    """Return a token after checking that it is `content` that it stamps.

    Raises
    ------
    InputError
        If it stamps something else.
    """
    if not parse(token).fits(content):
        raise InputError(
            "the time stamp is of something else than this pack; pack without --timestamp, have its tagmanifest-sha256.txt stamped, "
            "and pack the same inputs again with it"
        )
    return token


def parse(content: bytes) -> Stamp:
    """Return what a token says: a time-stamp response as ``.tsr`` files hold it, or the bare token.

    Raises
    ------
    ValueError
        If it is none.
    """
    from asn1crypto import cms, tsp

    try:
        if len(content) > LARGEST:
            raise ValueError("larger than a time stamp can be")
        token = cms.ContentInfo.load(content, strict=True)
        if not _is_token(token):
            response = tsp.TimeStampResp.load(content, strict=True)
            if response["status"]["status"].native not in _GRANTED:
                raise ValueError("the authority did not grant it")
            token = response["time_stamp_token"]
        said = token["content"]["encap_content_info"]["content"].parsed
        imprint = said["message_imprint"]
        at = str(clock.iso(clock.to_utc(said["gen_time"].native)))
        return Stamp(at, imprint["hash_algorithm"]["algorithm"].native, imprint["hashed_message"].native)
    except _BROKEN as error:
        raise ValueError(f"no RFC 3161 time stamp ({error})") from None


def _is_token(found: object) -> bool:
    """Return whether this is signed data, not the status that a response begins with."""
    try:
        return bool(found["content_type"].native == "signed_data")  # type: ignore[index]
    except _BROKEN:
        return False
