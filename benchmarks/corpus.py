"""What is read of a corpus of real logs: ``python -m benchmarks.corpus PATH [--reasons]``.

PATH holds a folder a category, and in it a folder a source. Of each category the share of files that an importer
takes is printed, and each other file with the reason; then the importers with the files that they took.
"""

from __future__ import annotations

import argparse
import sys
import traceback
import warnings
from collections import Counter, defaultdict
from pathlib import Path

from trainreport.errors import TrainreportError
from trainreport.importers import load
from trainreport.importers.registry import HEAD_BYTES, all_importers, is_general


def main() -> None:
    """Read every folder, print what came of it; fail on a traceback or a file that two importers take."""
    parser = argparse.ArgumentParser(description="Say what is read of a corpus.")
    parser.add_argument("path", type=Path)
    parser.add_argument("--reasons", action="store_true", help="list each file that is not read")
    options = parser.parse_args()
    warnings.simplefilter("error")
    takers: dict[str, Counter[str]] = defaultdict(Counter)
    faults = 0
    for category in sorted(one for one in options.path.iterdir() if one.is_dir()):
        read, skipped, broken = of_category(category)
        files = sorted(one for one in category.rglob("*") if one.is_file())
        twice = [(file, names) for file in files if len(names := able(file)) > 1]
        share = len(read) / (len(read) + len(skipped)) if read or skipped else 0.0
        print(f"{category.name:<16} {len(read):>4} of {len(read) + len(skipped):>4} files read ({share:.0%})")
        for name, importer in read.items():
            takers[importer][name.split("/")[0]] += 1
        for name, reason in sorted(skipped.items()) if options.reasons else ():
            print(f"    {name}: {reason}")
        for file, names in twice:
            print(f"    TAKEN TWICE {file}: {', '.join(names)}")
        for place in broken:
            print(f"    TRACEBACK {place}")
        faults += len(twice) + len(broken)
    for importer in all_importers():
        print(f"{importer.name:<20} {', '.join(f'{category} {count}' for category, count in takers[importer.name].items()) or 'nothing'}")
    sys.exit(1 if faults else 0)


def of_category(category: Path) -> tuple[dict[str, str], dict[str, str], list[str]]:
    """Return the files that were read with their importers, those that were not with the reasons, and where reading broke."""
    read: dict[str, str] = {}
    skipped: dict[str, str] = {}
    broken = []
    for folder in sorted(one for one in category.iterdir() if one.is_dir()):
        inside = f"{category.name}/{folder.name}"
        try:
            found = load([folder])
        except TrainreportError:
            skipped |= {
                f"{category.name}/{one.relative_to(category).as_posix()}": why_not(one)
                for one in sorted(folder.rglob("*"))
                if one.is_file()
            }
        except Exception:
            broken.append(f"{inside}: {traceback.format_exc().splitlines()[-1]}")
        else:
            read |= {f"{inside}/{file.path}": file.importer for log in found.logs for file in log.run.files}
            skipped |= {f"{inside}/{one.path}": one.reason for one in found.skipped}
    return read, {name: reason for name, reason in skipped.items() if name not in read}, broken


def why_not(file: Path) -> str:
    """Return why nothing is read of a file by itself."""
    try:
        load([file])
    except TrainreportError as error:
        return str(error).partition("nothing in it can be read: ")[2].partition("; `trainreport")[0] or str(error)
    return "read by itself, but not in its folder"


def able(file: Path) -> list[str]:
    """Return the names of the importers that take a file; those for what many tools write count where no other does."""
    with file.open("rb") as stream:
        head = stream.read(HEAD_BYTES)
    every = [one for one in all_importers() if one.recognises(file, head)]
    return [one.name for one in every if not is_general(one)] or [one.name for one in every]


if __name__ == "__main__":
    main()
