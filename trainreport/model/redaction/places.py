"""Where in a path or an address the personal part stands."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trainreport.model.redaction import patterns

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

__all__ = ["bare", "folder_of", "hosted", "is_absolute", "is_word", "named", "owner_of", "pieces", "public", "root_of", "whole_path"]

_SCHEME = re.compile(r"(?P<scheme>file:/*|[A-Za-z][\w+.-]*://)(?P<rest>.*)", re.DOTALL)
_HOMES = re.compile(r"(?:.*[\\/])?(?:home|Users|users|Documents and Settings)")
_CODE = ("github.com", "gitlab.com", "bitbucket.org", "huggingface.co", "hf.co", "dagshub.com", "wandb.ai", "kaggle.com")
_BEFORE_OWNER = frozenset({"datasets", "spaces", "models", "api", "docs", "blog", "site", "tasks", "orgs", "code"})
_PIECE = re.compile(r"[^,;<>\[\]\"()]+")


def is_absolute(path: str) -> bool:
    """Return whether a path begins at a root, of any system; the root itself tells nothing."""
    return re.match(r"~?/[^/]|[A-Za-z]:[\\/]+[^\\/]|\\\\\w", path) is not None


def whole_path(text: str) -> bool:
    """Return whether a value is one path and nothing else; there may be spaces in it."""
    if len(text) > 4096 or patterns.WHOLE_PATH.fullmatch(text) is None or re.search(r"\s[-/]|[\"'|<>*]", text):
        return False
    return len(re.findall(r"[\\/]+", text.removeprefix("file:"))) > 1


def folder_of(path: str) -> tuple[str, str, str]:
    """Return the directory of a path, its last name, and what stands before it, such as ``file://``.

    Of a home the whole path is the directory. No directory is told by a path right below the root.
    """
    match = _SCHEME.fullmatch(path)
    before, rest = (match["scheme"], match["rest"]) if match else ("", path)
    if before.startswith("file:"):
        before, rest = "file://", rest if re.match(r"[A-Za-z]:", rest) else f"/{rest}"
    store = before.removesuffix("://").lower() in patterns.STORES
    plain = re.sub(r"(?<!^)/+", "/", re.sub(r"(?<!^)\\+", r"\\", re.sub(r"^/+", "/", rest))).rstrip("\\/")
    folder, bar, last = re.fullmatch(r"(.*?)([\\/]?)([^\\/]*)", plain, re.DOTALL).groups()  # type: ignore[union-attr]
    if (store and not bar) or _HOMES.fullmatch(folder):
        folder, last = plain, ""
    told = folder if store else re.sub(r"^[A-Za-z]:$|^\\+$|^~$", "", folder)
    return (f"{before}{told}" if store and told else told), last, before


def public(host: str) -> bool:
    """Return whether a web host says nothing of who trained."""
    return f".{host.lower()}".endswith(tuple(f".{one}" for one in patterns.PUBLIC))


def root_of(path: str, roots: Collection[str]) -> str:
    """Return the longest of the roots that a path lies in or is, empty where there is none."""
    ends = [len(path), *(match.start() for match in re.finditer(r"[\\/]", path))] if roots else []
    return next((path[:end] for end in sorted(ends, reverse=True) if path[:end] in roots), "")


def owner_of(match: re.Match[str]) -> str:
    """Return whose store of code or runs an address is, empty where it is no such address."""
    where, rest = match["netloc"] or match["scp_host"] or "", match["rest"] or match["scp_path"] or ""
    named = where.rpartition("@")[2].partition(":")[0].lower()
    kept = f".{named}".endswith(tuple(f".{one}" for one in _CODE)) or rest.endswith(".git") or match["scp_user"] == "git"
    if not kept or rest.startswith("~"):
        return ""
    folders = [one for one in rest.split("/") if one]
    folders = folders[1:] if folders and folders[0] in _BEFORE_OWNER else folders
    return folders[0] if len(folders) > 1 else ""


def hosted(netloc: str) -> tuple[str, str, str]:
    """Return user, host and port of the part of an address that names the machine; a password is left out."""
    who, _, where = netloc.rpartition("@")
    host, colon, port = where.rpartition(":")
    return who.partition(":")[0], *((host, f":{port}") if colon and port.isdecimal() else (where, ""))


def named(match: re.Match[str]) -> tuple[str, str]:
    """Return kind and name where a text names the owner of a home, or a host as tools write one; empty texts where it does not."""
    groups = match.groupdict()
    user = groups.get("tilde") or groups.get("home") or ""
    host = next((groups[name] for name in ("events_host", "began_host", "cloud_host", "ip") if groups.get(name)), "")
    return ("user", user) if user else ("host" if host else "", host)


def bare(piece: str) -> str:
    """Return a name without what stands around it."""
    return piece.strip(" \t'")


def pieces(text: str) -> Iterator[re.Match[str]]:
    """Yield the names in the value of a user field: ``Ann Lee <ann@example.org>, bob``."""
    return _PIECE.finditer(text)


def is_word(name: str) -> bool:
    """Return whether a name may stand in a text without meaning anyone: a number, a letter, a word of the trade."""
    if len(name) < 2 or name.lower() in patterns.COMMON:
        return True
    try:
        float(name)
    except ValueError:
        return name.isdecimal()
    return True
