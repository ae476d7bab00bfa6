from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime

import pytest
from packs.conftest import call, openssl

from trainreport.errors import InputError, UsageError
from trainreport.model import lock

PLAN = '[plan]\ntitle = "A"\nregistered = 2026-06-05T11:00:00+02:00\n\n[[criteria]]\nid = "acc"\nseries = "accuracy"\nthreshold = 0.9\n'
AT = datetime(2026, 6, 6, tzinfo=UTC)


def test_the_digest_is_that_of_the_content_in_canonical_json():
    text = '{"criteria":[{"id":"acc","series":"accuracy","threshold":0.9}],"plan":{"registered":"2026-06-05T09:00:00Z","title":"A"}}'
    assert lock.content_digest(lock.content(PLAN)) == hashlib.sha256(text.encode()).hexdigest()


def test_layout_counts_for_nothing_and_content_for_all():
    same = "# agreed\n" + PLAN.replace('title = "A"\n', "").replace("+02:00\n", '+02:00\ntitle = "A"  # first\n')
    assert lock.content_digest(lock.content(same)) == lock.content_digest(lock.content(PLAN))
    assert lock.content_digest(lock.content(PLAN.replace("0.9", "0.8"))) != lock.content_digest(lock.content(PLAN))


def test_versions_chain_and_say_what_changed():
    first = lock.add(PLAN, [], AT)
    assert (first["version"], first["previous_sha256"], first["changes"]) == (1, None, [])
    assert lock.add(PLAN, [first], AT) is None
    second = lock.add(PLAN.replace("0.9", "0.8") + "tolerance = 0.01\n", [first], AT)
    assert second["changes"] == [
        {"key": "criteria[acc].threshold", "from": 0.9, "to": 0.8},
        {"key": "criteria[acc].tolerance", "from": None, "to": 0.01},
    ]
    assert lock.chain(lock.render([first, second]), "x") == [first, second]
    assert lock.standing(PLAN.replace("0.9", "0.8") + "tolerance = 0.01\n", lock.render([first, second]), "x").holds
    assert not lock.standing(PLAN, lock.render([first, second]), "x").holds


@pytest.mark.parametrize("key", ["version", "locked_at", "plan_sha256", "previous_sha256", "changes", "plan"])
def test_any_change_to_an_earlier_version_is_found(key):
    first = lock.add(PLAN, [], AT)
    second = lock.add(PLAN.replace("0.9", "0.8"), [first], AT)
    first[key] = {"plan": {}} if key == "plan" else "x"
    with pytest.raises(InputError, match=r"version [12] was changed after it was locked"):
        lock.chain(lock.render([first, second]), "plan.lock.json")


@pytest.mark.parametrize("text", [b"", b"[]", b"{}", b"\xff", b'{"schema": "trainreport.plan-lock/1", "versions": []}', b"[" * 20_000])
def test_what_is_no_lock_is_refused(text):
    with pytest.raises(InputError, match="no lock file"):
        lock.chain(text, "x")


def test_the_command(tmp_path):
    plan = tmp_path / "churn.toml"
    plan.write_text(PLAN)
    made = call("plan", "lock", plan, "--at", "2026-06-06T00:00:00Z")
    assert made.exit_code == 0, made.output
    assert "version 1 locked at 2026-06-06T00:00:00Z" in made.stdout
    assert "the plan is as locked" in call("plan", "lock", plan).stdout
    plan.write_text(PLAN.replace("0.9", "0.8"))
    assert "criteria[acc].threshold: 0.9 → 0.8" in call("plan", "lock", plan, env={"SOURCE_DATE_EPOCH": "1786000000"}).stdout
    file = json.loads((tmp_path / "churn.lock.json").read_text())
    assert [one["locked_at"] for one in file["versions"]] == ["2026-06-06T00:00:00Z", "2026-08-06T07:06:40Z"]
    plan.write_text(PLAN.replace("0.9", "0.7"))
    early = call("plan", "lock", plan, "--at", "2026-06-07T00:00:00Z")
    assert isinstance(early.exception, InputError)
    assert len(json.loads((tmp_path / "churn.lock.json").read_text())["versions"]) == 2


def test_criteria_that_stood_at_a_time():
    first = lock.add(PLAN, [], AT)
    second = lock.add(PLAN.replace("0.9", "0.8"), [first], datetime(2026, 6, 8, tzinfo=UTC))
    assert lock.in_force([first, second], datetime(2026, 6, 5, tzinfo=UTC)) is None
    assert lock.in_force([first, second], AT) is first
    assert lock.in_force([first, second], datetime(2026, 6, 9, tzinfo=UTC)) is second
    assert [lock.shown(one) for one in lock.criteria_changes(first["plan"], second["plan"])] == ["criteria[acc].threshold: 0.9 → 0.8"]
    assert lock.criteria_changes(first["plan"], {**first["plan"], "plan": {"title": "B"}}) == []


def test_openssl_verifies_the_signature_of_a_lock(tmp_path):
    openssl("genpkey", "-algorithm", "ed25519", "-out", tmp_path / "key.pem")
    openssl("pkey", "-in", tmp_path / "key.pem", "-pubout", "-out", tmp_path / "pub.pem")
    plan, file = tmp_path / "plan.toml", tmp_path / "plan.lock.json"
    plan.write_text(PLAN)
    assert call("plan", "lock", plan, "--at", "2026-06-06T00:00:00Z", "--sign", tmp_path / "key.pem").exit_code == 0
    check = ["-verify", "-pubin", "-inkey", tmp_path / "pub.pem", "-rawin", "-in", file, "-sigfile", f"{file}.sig"]
    assert openssl("pkeyutl", *check).returncode == 0
    plan.write_text(PLAN.replace("0.9", "0.8"))
    assert isinstance(call("plan", "lock", plan, "--at", "2026-06-07T00:00:00Z").exception, UsageError)
    assert len(json.loads(file.read_text())["versions"]) == 1
    assert "version 2" in call("plan", "lock", plan, "--at", "2026-06-07T00:00:00Z", "--sign", tmp_path / "key.pem").stdout
    assert openssl("pkeyutl", *check).returncode == 0
    file.write_text(file.read_text().replace("0.8", "0.7"))
    assert openssl("pkeyutl", *check).returncode != 0
