"""Check a crate with rocrate-validator, offline: ``python check_crate.py FOLDER``; prints what fails of the REQUIRED checks.

A script of its own, run by the Python that has the validator. The JSON-LD context, which the validator would fetch, comes from
the package rocrate: its terms are those of RO-Crate 1.1 and more.
"""

from __future__ import annotations

import io
import sys
import tempfile
from importlib.resources import files
from pathlib import Path

import requests
from requests_cache import CachedSession
from rocrate_validator import services
from rocrate_validator.models import Severity, ValidationSettings
from urllib3 import HTTPResponse

CONTEXT = "https://w3id.org/ro/crate/1.1/context"


class Stored(requests.adapters.BaseAdapter):
    """Answers every address with the context."""

    def send(self, request, **_):
        answer = requests.Response()
        answer.status_code, answer.request, answer.url = 200, request, request.url
        answer.headers["Content-Type"] = "application/ld+json"
        body = io.BytesIO((files("rocrate") / "data" / "ro-crate.jsonld").read_bytes())
        answer.raw = HTTPResponse(body, answer.headers, 200, preload_content=False, request_url=request.url)
        return answer

    def close(self):
        pass


def main(folder):
    """Print the issues, and end with 1 where there are any."""
    with tempfile.TemporaryDirectory() as place:
        cache = str(Path(place) / "cache")
        session = CachedSession(cache, backend="sqlite", expire_after=-1)
        session.mount("https://", Stored())
        session.get(CONTEXT)
        session.close()
        settings = ValidationSettings(
            rocrate_uri=folder,
            profile_identifier="process-run-crate",
            requirement_severity=Severity.REQUIRED,
            offline=True,
            cache_path=cache,
        )
        issues = services.validate(settings).get_issues()
    for one in issues:
        sys.stdout.write(f"{one.check.identifier} {one.message}\n")
    sys.stdout.write(f"{len(issues)} issues\n")
    return 1 if issues else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
