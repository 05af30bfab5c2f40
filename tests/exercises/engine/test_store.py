import json
import multiprocessing
import os

import pytest

from tutorial_lib.exercises.engine import store
from tutorial_lib.exercises.engine.store import Store, open_store


def test_entries_are_merged_and_kept(tmp_path):
    Store(tmp_path).update("exercises", "attend", tries=1)
    Store(tmp_path).update("exercises", "attend", solved=True, tries=lambda before: before + 1)
    assert Store(tmp_path).entry("exercises", "attend") == {"solved": True, "tries": 2}
    assert Store(tmp_path).entry("recall", "first_merge") == {}


def test_what_a_newer_version_added_is_kept(tmp_path):
    (tmp_path / "progress.json").write_text('{"badges": [1]}')
    Store(tmp_path).update("recall", "first_merge", tries=1)
    assert json.loads((tmp_path / "progress.json").read_text())["badges"] == [1]


def count(folder, name, times):
    for _ in range(times):
        Store(folder).update("exercises", name, tries=lambda before: (before or 0) + 1)
        Store(folder).update("exercises", "shared", tries=lambda before: (before or 0) + 1)


def test_two_notebooks_at_once_lose_nothing(tmp_path):
    context = multiprocessing.get_context("fork" if os.name == "posix" else "spawn")
    workers = [context.Process(target=count, args=(tmp_path, name, 20)) for name in "ab"]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    kept = Store(tmp_path).read()["exercises"]
    assert (kept["a"]["tries"], kept["b"]["tries"], kept["shared"]["tries"]) == (20, 20, 40)


@pytest.mark.parametrize(
    "damage",
    [b"", b"{", b"\xff\xfe\x00", b"[]", b'{"exercises": 3}', b'{"recall": {"first_merge": 1}}'],
)
def test_a_damaged_file_is_set_aside(tmp_path, damage):
    (tmp_path / "progress.json").write_bytes(damage)
    (tmp_path / "progress.json.damaged-1").write_text("an older one")
    damaged = Store(tmp_path)
    damaged.update("exercises", "attend", tries=1)
    assert (tmp_path / "progress.json.damaged-2").read_bytes() == damage
    assert (tmp_path / "progress.json.damaged-1").read_text() == "an older one"
    assert len(damaged.notices) == 1
    assert "progress.json.damaged-2" in damaged.notices[0]
    assert Store(tmp_path).entry("exercises", "attend") == {"tries": 1}


def test_a_folder_that_cannot_be_written_is_never_fatal(tmp_path, monkeypatch):
    def refuse(path, text):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(store, "write_text", refuse)
    readonly = Store(tmp_path)
    readonly.update("exercises", "attend", tries=1)
    readonly.update("exercises", "attention", tries=1)
    assert set(readonly.read()["exercises"]) == {"attend", "attention"}
    assert len(readonly.notices) == 1
    assert "(Permission denied)" in readonly.notices[0]
    assert not (tmp_path / "progress.json").exists()


def test_a_folder_that_cannot_be_made_is_never_fatal(tmp_path):
    (tmp_path / "file").write_text("in the way")
    blocked = Store(tmp_path / "file" / "progress")
    assert blocked.entry("exercises", "attend") == {}
    blocked.update("exercises", "attend", tries=1)
    assert blocked.entry("exercises", "attend") == {"tries": 1}
    assert len(blocked.notices) == 1


def test_a_lock_that_is_held_only_delays(tmp_path, monkeypatch):
    import filelock

    monkeypatch.setattr(store, "LOCK_SECONDS", 0.1)
    with filelock.FileLock(tmp_path / "progress.lock"):
        Store(tmp_path).update("exercises", "attend", tries=1)
    assert Store(tmp_path).entry("exercises", "attend") == {"tries": 1}


def test_the_folder_follows_the_environment(progress_folder, monkeypatch):
    assert store.progress_folder() == progress_folder
    assert open_store() is open_store()
    monkeypatch.delenv("TUTORIAL_PROGRESS")
    assert store.progress_folder().name == "tutorial_lib"
