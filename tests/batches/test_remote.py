"""Runs in a store: fsspec's folders in memory here, a real S3 server in the full tests."""

from __future__ import annotations

import shutil
import socket
import threading
from collections import Counter

import pytest
from batches.conftest import states

from trainreport.batches import remote, runner
from trainreport.batches.discovery import discover
from trainreport.errors import InputError, UsageError


class Store:
    """What the module needs of an fsspec file system, over a folder, with every call counted."""

    def __init__(self, root):
        self.root, self.calls = root, Counter()
        self.broken = 0

    def ls(self, address, detail):
        assert detail
        self._called("ls", address)
        return [
            {"name": f"{address}/{one.name}", "type": "directory" if one.is_dir() else "file", "size": one.stat().st_size, "ETag": "e"}
            for one in (self.root / address).iterdir()
        ]

    def cat_file(self, address, start, end):
        self._called("cat", address)
        return (self.root / address).read_bytes()[start:end]

    def get_file(self, address, target):
        self._called("get", address)
        shutil.copy(self.root / address, target)

    def _called(self, what, address):
        self.calls[what, address] += 1
        if self.broken:
            self.broken -= 1
            raise ConnectionResetError("cut")


@pytest.fixture
def store(tree, monkeypatch):
    found = Store(tree.root.parent)
    monkeypatch.setattr(remote, "_opened", lambda url: (found, url.partition("://")[2]))
    monkeypatch.setattr(remote, "_FIRST_PAUSE_S", 0.001)
    return found


def test_each_folder_is_listed_once_and_each_head_read_once(tree, store):
    tree.events("team/a/train", "team/a/validation", "team/b")
    tree.store("other/mlruns")
    found = {folder.path: [file.name for file in folder.below()] for folder, _ in discover(remote.open_root("s3://root"))}
    assert sorted(found) == ["other/mlruns/329510537851989065", "team/a", "team/b"]
    assert sorted(found["team/a"]) == ["train/events.out.tfevents.1.host", "validation/events.out.tfevents.1.host"]
    on_disk = tree.root / "other" / "mlruns" / "329510537851989065"
    assert sorted(found["other/mlruns/329510537851989065"]) == sorted(
        file.relative_to(on_disk).as_posix() for file in on_disk.rglob("*") if file.is_file()
    )
    assert {count for (what, _), count in store.calls.items() if what in ("ls", "cat")} == {1}


def test_what_was_cut_is_tried_again_then_reported(tree, store, tmp_path):
    tree.events("a")
    store.broken = 3
    assert [folder.path for folder, _ in discover(remote.open_root("s3://root"))] == ["a"]
    store.broken = 4
    with pytest.raises(InputError, match="root cannot be read, tried 4 times: ConnectionResetError: cut"):
        remote.open_root("s3://root")
    place = tmp_path / "place"
    place.mkdir()
    with pytest.raises(InputError, match=r"it was cut or is being written to"):
        remote.fetch("s3://root/a", [("events.out.tfevents.1.host", 5)], place)


def test_what_is_missing_is_not_tried_again(tree, store):
    with pytest.raises(InputError, match="cannot be read: FileNotFoundError"):
        remote.open_root("s3://gone")
    assert store.calls["ls", "gone"] == 1


def test_checkpoints_are_not_fetched_and_too_much_is_refused(tree, store, tmp_path, monkeypatch):
    tree.events("a")
    tree.text("a", "model.ckpt", "x" * 100)
    size = (tree.root / "a" / "events.out.tfevents.1.host").stat().st_size
    files = [("events.out.tfevents.1.host", size), ("model.ckpt", 100)]
    remote.fetch("s3://root/a", files, tmp_path)
    assert (tmp_path / "events.out.tfevents.1.host").stat().st_size == size
    assert (tmp_path / "model.ckpt").stat().st_size == 0
    monkeypatch.setattr(remote, "MOST_BYTES", size - 1)
    with pytest.raises(InputError, match="are fetched of one folder"):
        remote.fetch("s3://root/a", files, tmp_path)


def test_names_that_lead_out_of_a_folder_are_left_out():
    told = [{"name": f"bucket/a/{name}", "type": "file", "size": 1} for name in ("..", ".", "ok", "a\\b", "a\0b", "")]
    assert [file.name for file in remote._listing("bucket/a", told).files] == ["ok"]


@pytest.mark.parametrize("url", ["http://host/runs", "file:///etc", "s3://a::file:///etc", "S4://bucket"])
def test_other_addresses_are_refused(url):
    with pytest.raises(UsageError, match="expected a folder or s3://"):
        remote.open_root(url)


def test_the_command_says_which_library_is_missing(call, tmp_path, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "fsspec", None)
    code, _, told = call("batch", "s3://bucket/runs", "-o", tmp_path / "out")
    assert code == 4
    assert "pip install 'trainreport[s3]'" in told
    assert not (tmp_path / "out").exists()


class Cutting(threading.Thread):
    """Passes connections on to a server, and cuts those in which it is told to after some bytes of the answer."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.server, self.listener = port, socket.create_server(("127.0.0.1", 0))
        self.port, self.left = self.listener.getsockname()[1], 0
        self.cut = 0

    def run(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            there = socket.create_connection(("127.0.0.1", self.server))
            threading.Thread(target=self._pass, args=(client, there), daemon=True).start()
            threading.Thread(target=self._pass_cut, args=(there, client), daemon=True).start()

    def _pass(self, one, other):
        try:
            while data := one.recv(65536):
                other.sendall(data)
        except OSError:
            pass
        finally:
            other.close()

    def _pass_cut(self, one, other):
        try:
            while data := one.recv(65536):
                if self.left > 0 and len(data) > 20_000:  # the body of a log
                    self.left, self.cut = self.left - 1, self.cut + 1
                    other.sendall(data[:10_000])
                    other.shutdown(socket.SHUT_RDWR)
                    one.shutdown(socket.SHUT_RDWR)
                    return
                other.sendall(data)
        except OSError:
            pass
        finally:
            other.close()


@pytest.fixture
def bucket(tree, monkeypatch):
    """A bucket on moto's server, behind a line that can be cut; in it the folders of the tree."""
    pytest.importorskip("s3fs", reason="s3fs is not installed: pip install 'trainreport[engines]'")
    server_of = pytest.importorskip("moto.server", reason="moto is not installed: pip install 'trainreport[engines]'")
    server = server_of.ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    line = Cutting(server.get_host_and_port()[1])
    line.start()
    for name, value in {
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{line.port}",
    }.items():
        monkeypatch.setenv(name, value)
    import s3fs

    tree.events("team/a/train", "team/a/validation", "team/b", "c")
    tree.gpu("c")
    tree.store("other/mlruns")
    tree.text("team/b", "model.ckpt", "x" * 50)
    store = s3fs.S3FileSystem(skip_instance_cache=True)
    name = f"runs{line.port}"  # the server keeps buckets from test to test
    store.mkdir(name)
    store.put(f"{tree.root}/", f"{name}/year", recursive=True)
    line.url = f"s3://{name}"
    yield line
    line.listener.close()
    server.stop()


@pytest.mark.full
@pytest.mark.filterwarnings("ignore")  # of the client library and of the server
def test_a_real_server_gives_what_the_folder_gives(bucket, tree, tmp_path):
    here = runner.run(tree.root, tmp_path / "here", jobs=1)
    there = runner.run(f"{bucket.url}/year", tmp_path / "there", jobs=2)
    assert (there.runs, there.failed) == (here.runs, 0)
    assert states(tmp_path / "there") == states(tmp_path / "here")
    again = runner.run(f"{bucket.url}/year", tmp_path / "there", jobs=1, resume=True)
    assert (again.runs, again.skipped) == (0, 4)


@pytest.mark.full
@pytest.mark.filterwarnings("ignore")
def test_a_cut_line_is_tried_again_and_a_broken_one_is_a_result_with_its_reason(bucket, tree, tmp_path):
    bucket.left = 2
    assert runner.run(f"{bucket.url}/year/team", tmp_path / "cut", jobs=1).failed == 0
    assert bucket.cut == 2
    bucket.left = 10_000
    broken = runner.run(f"{bucket.url}/year/team", tmp_path / "broken", jobs=1, time_limit_s=300)
    assert (broken.runs, broken.failed) == (0, 2)
    assert "cannot be read, tried 4 times" in (tmp_path / "broken" / "results.jsonl").read_text()
    bucket.left = 0
    assert runner.run(f"{bucket.url}/year/team", tmp_path / "broken", jobs=1, resume=True).failed == 0
    with pytest.raises(InputError, match="gone cannot be read"):
        runner.run(f"{bucket.url}/gone", tmp_path / "gone")
