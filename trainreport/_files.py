"""Writes files so that a reader never sees half of one."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from trainreport.errors import InputError, OutputExistsError

__all__ = ["write_whole"]


def write_whole(path: Path, content: bytes, *, replace: bool) -> None:
    """Write `content` to a temporary name beside `path` and rename it.

    Raises
    ------
    OutputExistsError
        If `path` exists and `replace` is false.
    InputError
        If the folder cannot be written to.
    """
    if path.exists() and not replace:
        raise OutputExistsError(f"{path} exists already; give another name, or --force to replace it")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(content)
            os.chmod(temporary, 0o666 & ~_umask())  # noqa: PTH101  mkstemp makes the file private
            os.replace(temporary, path)  # noqa: PTH105
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error}; choose another place with -o") from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
