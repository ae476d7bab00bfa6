"""The second walk: a pseudonym for everything that the first one found."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from trainreport.model.redaction import patterns, places
from trainreport.model.redaction.names import Words, numbered
from trainreport.model.redaction.nodes import each_host

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable

    from trainreport.model.redaction.collect import Found

__all__ = ["Removed", "Swapper"]

_LATER = {"user": "[user]", "host": "[host]", "e-mail": "[e-mail]", "folder": "[folder]"}
"""For what stands in no run, but in a text that comes in later."""


class Removed(NamedTuple):
    """What a pseudonym stands for, in kind only."""

    kind: str
    """``user``, ``host``, ``e-mail`` or ``folder``."""
    pseudonym: str
    places: int
    """How often it was put into texts that differ."""


class Swapper:
    """Visits each text of a run and gives it back with pseudonyms."""

    def __init__(self, found: Found) -> None:
        self._found, taken = found, found.taken
        self._tables = {
            "user": numbered("user", found.users, taken),
            "host": numbered("host", found.hosts, taken),
            "e-mail": _bracketed(numbered("e-mail", found.emails, taken)),
            "folder": _bracketed(numbered("folder", found.folders, taken)),
        }
        self._longest = sorted((host for host in self._tables["host"] if not places.is_word(host)), key=lambda host: (-len(host), host))
        self._words = Words({kind: self._tables[kind] for kind in ("user", "host")})
        self._placed: Counter[tuple[str, str]] = Counter()
        self._done: dict[tuple[str, str], str] = {}
        self._ids = _apart(found.run_ids, self.text)
        self._paths = _apart(found.paths, self._path_or_text)
        self._metrics = _apart(found.metrics, self._metric)
        self.names = {name: self.text(name) for name in sorted(found.names)} | self._ids
        """What became of ids and names of runs."""

    @property
    def used(self) -> Found:
        """What was found, without the names that no text so far had."""
        placed = {
            kind: {name for name, pseudonym in table.items() if self._placed[kind, pseudonym]} for kind, table in self._tables.items()
        }
        return replace(self._found, users=placed["user"], hosts=placed["host"], emails=placed["e-mail"], folders=placed["folder"])

    @property
    def removed(self) -> tuple[Removed, ...]:
        """Everything that was put into a text so far, by kind and pseudonym."""
        kinds = list(self._tables)
        found = [Removed(kind, pseudonym, times) for (kind, pseudonym), times in self._placed.items()]
        return tuple(sorted(found, key=lambda one: (kinds.index(one.kind), len(one.pseudonym), one.pseudonym)))

    def run_id(self, text: str) -> str:
        """Return the id of a run, apart from every other."""
        return self._ids.get(text) or self.text(text)

    def path(self, text: str) -> str:
        """Return the path of a file, apart from every other."""
        return self._paths.get(text) or self._path_or_text(text)

    def name(self, text: str) -> str:
        """Return the name of a run."""
        return self.text(text)

    def host(self, text: str) -> str:
        """Return the name of a machine."""
        return self._once("host", text, lambda name: self._put("host", name))

    def metric(self, text: str) -> str:
        """Return the name of a metric or a parameter: as it was, but for addresses, homes, and hosts in its labels."""
        return self._metrics.get(text) or self._metric(text)

    def field(self, key: str, text: str) -> str:
        """Return the value of a parameter or tag."""
        name = patterns.key_name(key)
        if places.whole_path(text):
            return self._once("path", text, self._path)
        if patterns.USER_KEY.fullmatch(name):
            return self._once("users", text, lambda told: _each(places.pieces(told), told, self._user_piece, self.text))
        if patterns.HOST_KEY.fullmatch(name):
            return self._once("hosts", text, lambda told: _each(each_host(told), told, self._host_piece, self.text))
        return self.text(text)

    def text(self, text: str) -> str:
        """Return a sentence, a name or a value."""
        return self._once("text", text, lambda told: _each(patterns.TEXT.finditer(told), told, self._match, self._spoken))

    def _once(self, kind: str, text: str, way: Callable[[str], str]) -> str:
        """Return what becomes of a text; one that comes again is neither worked on nor counted again."""
        known = self._done.get((kind, text))
        if known is None:
            known = self._done[kind, text] = way(text)
        return known

    def _path_or_text(self, text: str) -> str:
        return self._path(text) if places.whole_path(text) or places.root_of(text, self._found.roots) else self.text(text)

    def _metric(self, text: str) -> str:
        def replaced(match: re.Match[str]) -> str:
            return self._email(match["email"]) if match["email"] else self._path(match["path"])

        return patterns.METRIC.sub(replaced, patterns.LABELS.sub(lambda label: self._spoken(label.group()), text))

    def _put(self, kind: str, name: str) -> str:
        """Return the pseudonym of a name."""
        pseudonym = self._tables[kind].get(name, _LATER[kind])
        self._placed[kind, pseudonym] += 1
        return pseudonym

    def _match(self, match: re.Match[str]) -> str:
        """Return what stands for something that looks personal."""
        whole = match.group()
        if match["scheme"]:
            return self._address(match)
        if match["scp_host"]:
            where = f"{self._known('user', match['scp_user'])}@{self._known('host', match['scp_host'])}"
            path = match["scp_path"]
            return f"{where}:{self._path(path) if places.is_absolute(path) else self._owned(match, path)}"
        return self._slot(match) or self._path(whole)

    def _slot(self, match: re.Match[str]) -> str:
        """Return what stands for a name where tools write one; behind a host there may be a comment."""
        whole, (kind, name) = match.group(), places.named(match)
        if not name:
            return self._email(whole) if match["email"] else ""
        host = next((one for one in self._longest if name.startswith(one)), "") if kind == "host" and name not in self._tables[kind] else ""
        new = f"{self._put(kind, host)}{self._spoken(name[len(host) :])}" if host else self._known(kind, name)
        at = whole.rindex(name)
        return f"{whole[:at]}{new}{whole[at + len(name) :]}"

    def _address(self, match: re.Match[str]) -> str:
        scheme, netloc, rest = match["scheme"], match["netloc"], match["rest"]
        if scheme.lower() in patterns.STORES:
            return self._path(match.group())
        if scheme.lower() == "file" or not netloc:
            return f"{scheme}://{self._path(rest)}"
        user, host, port = places.hosted(netloc)
        before = f"{self._known('user', user)}@" if user else ""
        return f"{scheme}://{before}{self._known('host', host)}{port}{self._owned(match, rest)}"

    def _owned(self, match: re.Match[str], rest: str) -> str:
        """Return the folders of an address; the first may be a user's."""
        owner = places.owner_of(match)
        if not owner and match["scheme"] == "ssh":
            return self._path(rest)
        at = rest.find(owner) if owner and owner in self._tables["user"] else -1
        if at < 0:
            return self._inner(rest)
        return f"{rest[:at]}{self._put('user', owner)}{self._inner(rest[at + len(owner) :])}"

    def _path(self, text: str) -> str:
        """Return a path below a given root or a directory that has a pseudonym; no other part of the directory is left."""
        root = places.root_of(text, self._found.roots)
        if root:
            return f"{self._put('folder', root)}{self._inner(text[len(root) :])}"
        folder, last, before = places.folder_of(text)
        if not folder:
            return self._inner(text)
        return f"{before}{self._put('folder', folder)}{'/' if last else ''}{self._inner(last)}"

    def _inner(self, text: str) -> str:
        """Return the rest of a path: names of hosts and users in it, no directory."""
        return _each(patterns.SLOTS.finditer(text), text, self._slot, self._spoken)

    def _email(self, text: str) -> str:
        return self._put("e-mail", text.lower())

    def _known(self, kind: str, name: str) -> str:
        """Return the pseudonym of a name that stands where one is expected; what is nobody's stays."""
        if name in self._tables[kind]:
            return self._put(kind, name)
        if name.lower() in self._tables["e-mail"]:
            return self._email(name)
        spoken = self._spoken(name)
        nobody = name.lower() in patterns.NOTHING or name.isdecimal() or (kind == "host" and places.public(name))
        return spoken if spoken != name or nobody or not name else _LATER[kind]

    def _user_piece(self, match: re.Match[str]) -> str:
        text = match.group()
        name = places.bare(text)
        return text.replace(name, self._put("user", name), 1) if name in self._tables["user"] else self.text(text)

    def _host_piece(self, match: re.Match[str]) -> str:
        name = match["host"]
        return match.group().replace(name, self._put("host", name), 1) if name in self._tables["host"] else self.text(match.group())

    def _spoken(self, text: str) -> str:
        """Return a text in which names stand among other words."""
        out, after = [], 0
        for begin, end, kind, name in self._words.found(text):
            out += [text[after:begin], self._put(kind, name)]
            after = end
        return "".join((*out, text[after:]))


def _bracketed(table: dict[str, str]) -> dict[str, str]:
    return {name: f"[{pseudonym}]" for name, pseudonym in table.items()}


def _each(matches: Iterable[re.Match[str]], text: str, inside: Callable[[re.Match[str]], str], between: Callable[[str], str]) -> str:
    """Return a text with what its matches become, and what becomes of the text between them."""
    out, after = [], 0
    for match in matches:
        out += [between(text[after : match.start()]), inside(match)]
        after = match.end()
    return "".join((*out, between(text[after:])))


def _apart(names: Iterable[str], way: Callable[[str], str]) -> dict[str, str]:
    """Return what becomes of each name; two that would become one are told apart by a number."""
    seen: Counter[str] = Counter()
    became = {}
    for name in sorted(names):
        new = way(name)
        seen[new] += 1
        became[name] = new if seen[new] == 1 else f"{new}~{seen[new]}"
    return became
