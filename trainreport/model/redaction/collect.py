"""The first walk: what is personal in the evidence, each with its kind."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import unquote

from trainreport.model.redaction import patterns
from trainreport.model.redaction.nodes import listed_hosts
from trainreport.model.redaction.places import (
    bare,
    folder_of,
    hosted,
    is_absolute,
    is_word,
    named,
    owner_of,
    pieces,
    public,
    root_of,
    whole_path,
)

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

__all__ = ["Collector", "Found"]


@dataclass(frozen=True, slots=True)
class Found:
    """Everything personal, and the names that must stay apart from each other."""

    roots: frozenset[str] = frozenset()
    """Directories that the user gave."""
    users: set[str] = field(default_factory=set)
    hosts: set[str] = field(default_factory=set)
    emails: set[str] = field(default_factory=set)
    """In lower case."""
    folders: set[str] = field(default_factory=set)
    taken: set[tuple[str, int]] = field(default_factory=set)
    """What looks like a pseudonym already."""
    run_ids: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    """Of runs."""
    paths: set[str] = field(default_factory=set)
    metrics: set[str] = field(default_factory=set)


class Collector:
    """Visits each text of a run, changes none, and remembers what is personal in `found`."""

    def __init__(self, roots: Sequence[str] = ()) -> None:
        given = [root.rstrip("/\\") for root in roots]
        self._found = Found(roots=frozenset(filter(is_absolute, given)))
        self._begun: set[str] = set()
        self._found.folders.update(self._found.roots)
        for root in given:
            self.field("", root)

    @property
    def found(self) -> Found:
        """Everything so far; a folder that begins with its time ends with its host, and with a comment where that is known alone."""
        for name in sorted(self._begun):
            if not any(name.startswith(host) for host in self._found.hosts if not is_word(host)):
                self._host(name)
        self._begun.clear()
        return self._found

    def run_id(self, text: str) -> str:
        """Take the id of a run."""
        self._found.run_ids.add(text)
        return self.text(text)

    def path(self, text: str) -> str:
        """Take the path of a file."""
        self._found.paths.add(text)
        return self.field("", text)

    def name(self, text: str) -> str:
        """Take the name of a run."""
        self._found.names.add(text)
        return self.text(text)

    def host(self, text: str) -> str:
        """Take the name of a machine."""
        self._taken(text)
        self._found.hosts.add(text)
        return text

    def metric(self, text: str) -> str:
        """Take what no name of a metric is by chance."""
        self._found.metrics.add(text)
        self._taken(text)
        for match in patterns.METRIC.finditer(text):
            if match["email"]:
                self._email(match["email"])
            else:
                self._path(match["path"])
        return text

    def field(self, key: str, text: str) -> str:
        """Take the value of a parameter or tag, by what its name says that it is."""
        if whole_path(text):
            self._taken(text)
            self._path(text)
            return text
        name = patterns.key_name(key)
        if patterns.USER_KEY.fullmatch(name):
            for match in pieces(text):
                one = bare(match.group())
                if not one.isdecimal() or name in patterns.USER_KEYS:  # n_user is how many there are
                    self._user(one)
        elif patterns.HOST_KEY.fullmatch(name):
            for one in listed_hosts(text):
                if not one.isdecimal():  # how many there are
                    self._host(one)
        if patterns.OWNED.search(key):
            for match in patterns.TEXT.finditer(text):
                self._user(owner_of(match))
        return self.text(text)

    def text(self, text: str) -> str:
        """Take what looks personal in a text."""
        self._taken(text)
        for match in patterns.TOLD.finditer(text):
            self._told(match)
        for match in patterns.TEXT.finditer(text):
            self._match(match)
        return text

    def _match(self, match: re.Match[str]) -> None:
        kind, name = named(match)
        if match["scheme"]:
            self._address(match)
        elif match["scp_host"]:
            self._user(match["scp_user"])
            self._user(owner_of(match))
            self._host(match["scp_host"])
            if is_absolute(match["scp_path"]):
                self._path(match["scp_path"])
        elif match["email"]:
            self._email(match["email"])
        elif match["unc_host"]:
            self._host(match["unc_host"])
            self._path(match.group())
        elif name:
            self._slot(match, kind, name)
        else:
            self._path(match.group())

    def _address(self, match: re.Match[str]) -> None:
        """Take the parts of a web address, or of one in a store."""
        scheme, netloc, rest = match["scheme"].lower(), match["netloc"], match["rest"]
        user, host, _ = hosted(netloc)
        self._user(user)
        if scheme in patterns.STORES:
            self._folder(folder_of(match.group())[0])
            self._home(rest)
        elif scheme == "file" or not netloc:
            self._path(rest)
        else:
            self._host(host)
            self._home(rest)
            if scheme == "ssh" and not owner_of(match):
                self._path(rest)
            if host.endswith("wandb.ai"):
                self._user(owner_of(match))
        for found in patterns.EMAIL.finditer(rest):
            self._email(found.group())

    def _told(self, match: re.Match[str]) -> None:
        if match["user"] or match["arn"]:
            self._user((match["name"] or match["arn"]).rstrip(".,"))
        else:
            for one in listed_hosts((match["name"] or match["nccl"]).rstrip(".,")):
                self._host(one)

    def _path(self, text: str) -> None:
        """Take a path: its directory, and whose it is."""
        self._home(text)
        for match in patterns.EMAIL.finditer(text):
            self._email(match.group())
        for match in patterns.SLOTS.finditer(text):
            kind, name = named(match)
            if name:
                self._slot(match, kind, name)
        if not root_of(text, self._found.roots):
            self._folder(folder_of(text)[0])

    def _slot(self, match: re.Match[str], kind: str, name: str) -> None:
        """Take a name that stands where tools write one."""
        if kind == "user":
            self._user(name)
        elif match["began_host"]:
            self._begun.add(name)
        else:
            self._host(name)

    def _home(self, text: str) -> None:
        for match in patterns.HOME_USER.finditer(text):
            self._user(match["name"])

    def _folder(self, folder: str) -> None:
        if folder:
            self._found.folders.add(folder)

    def _email(self, text: str) -> None:
        self._found.emails.add(text.lower())
        local = text.partition("@")[0]
        self._user(local)

    def _user(self, name: str) -> None:
        if "@" in name and patterns.EMAIL.fullmatch(name):
            self._email(name)
            return
        for one in {name, unquote(name), name.rpartition("\\")[2]}:  # also Ann%20Lee, and ann of CORP\\ann
            if one.lower() not in patterns.NOTHING and len(one) <= 200:
                self._found.users.add(one)

    def _host(self, name: str) -> None:
        if name.lower() in patterns.NOTHING or len(name) > 200 or public(name):
            return
        self._found.hosts.add(name)
        short = name.partition(".")[0]
        if short != name and not is_word(short):
            self._found.hosts.add(short)

    def _taken(self, text: str) -> None:
        self._found.taken.update((kind, int(number)) for kind, number in patterns.PLACEHOLDER.findall(text) if len(number) < 10)
