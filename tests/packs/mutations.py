"""Ways to tamper with a pack: each changes a folder and returns the files that it touched."""

from __future__ import annotations


def files(pack):
    return sorted(path.relative_to(pack).as_posix() for path in pack.rglob("*") if path.is_file())


def flip(pack, random):
    name = random.choice([one for one in files(pack) if (pack / one).stat().st_size])
    content = bytearray((pack / name).read_bytes())
    content[random.randrange(len(content))] ^= 1 << random.randrange(8)
    (pack / name).write_bytes(content)
    return {name}


def truncate(pack, random):
    name = random.choice([one for one in files(pack) if (pack / one).stat().st_size])
    content = (pack / name).read_bytes()
    (pack / name).write_bytes(content[: random.randrange(len(content))])
    return {name}


def append(pack, random):
    name = random.choice(files(pack))
    (pack / name).write_bytes((pack / name).read_bytes() + random.randbytes(random.randrange(1, 40)))
    return {name}


def swap(pack, random):
    while True:
        one, other = random.sample(files(pack), 2)
        first, second = (pack / one).read_bytes(), (pack / other).read_bytes()
        if first != second:
            (pack / one).write_bytes(second)
            (pack / other).write_bytes(first)
            return {one, other}


def add(pack, random):
    name = random.choice(["", "data/", "data/new/", "meta/"]) + f"added{random.randrange(1000)}.txt"
    (pack / name).parent.mkdir(exist_ok=True)
    (pack / name).write_bytes(random.randbytes(random.randrange(40)))
    return {name}


def remove(pack, random):
    name = random.choice(files(pack))
    (pack / name).unlink()
    parent = (pack / name).parent
    if not any(parent.iterdir()):
        parent.rmdir()
    return {name}


def rename(pack, random):
    name = random.choice(files(pack))
    (pack / name).rename(pack / f"{name}.moved")
    return {name, f"{name}.moved"}


def unsign(pack, random):
    both = {"tagmanifest-sha256.txt.sig", "statement.dsse.json"}
    for name in both:
        (pack / name).unlink()
    return both


KINDS = (flip, flip, truncate, append, swap, add, remove, rename, unsign)


def expected(touched):
    """Return the files that a check must name: all, but for the payload where its list is gone or changed too."""
    if "manifest-sha256.txt" in touched:
        return {name for name in touched if not name.startswith("data/")}
    return touched
