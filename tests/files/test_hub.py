import socket

import httpx2
import pytest

from tutorial_lib.errors import MissingDataError
from tutorial_lib.files import hub
from tutorial_lib.tokenizers import BPETokenizer, UnigramTokenizer, WordPieceTokenizer


@pytest.fixture
def offline(monkeypatch, tmp_path):
    def refuse(*_args, **_options):
        raise OSError("the network is blocked in this test")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket.socket, "connect_ex", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))


def test_a_folder_is_itself(tmp_path):
    assert hub.resolve(tmp_path) == tmp_path
    assert hub.resolve(str(tmp_path)) == tmp_path


def test_offline_is_one_clear_message_without_a_wait(offline, monkeypatch):
    monkeypatch.setattr("time.sleep", lambda _: pytest.fail("waits to try again"))
    with pytest.raises(MissingDataError) as caught:
        hub.resolve("gpt2")
    message = str(caught.value)
    assert "no folder gpt2" in message
    assert "not in the cache and the hub cannot be reached" in message
    assert "or give a folder" in message


def test_a_hub_that_does_not_answer_is_given_up_after_five_seconds(monkeypatch):
    asked = []
    monkeypatch.setattr("huggingface_hub.snapshot_download", lambda *_, **o: asked.append(o) or ".")
    hub.resolve("gpt2")
    assert [options["etag_timeout"] for options in asked] == [5]


def test_offline_message_names_the_revision(offline):
    with pytest.raises(MissingDataError, match=r"someone/model \(revision abc\) is not in"):
        hub.resolve("someone/model", revision="abc")


def test_a_proxy_that_refuses_is_the_same_message(monkeypatch):
    def refuse(*_args, **_options):
        raise httpx2.ProxyError("407 Proxy Authentication Required")

    monkeypatch.setattr("huggingface_hub.snapshot_download", refuse)
    with pytest.raises(MissingDataError, match="the hub cannot be reached"):
        hub.resolve("someone/model")


def test_paths_that_do_not_exist_never_reach_the_hub(tmp_path, monkeypatch):
    monkeypatch.setattr(hub, "_download", lambda *_: pytest.fail("asked the hub"))
    for path in (tmp_path / "nothing", "../nothing", "~nobody/at/home", "a/b/c", "C:\\models"):
        with pytest.raises(MissingDataError, match="there is no folder"):
            hub.resolve(path)
    file = tmp_path / "model.safetensors"
    file.touch()
    with pytest.raises(MissingDataError, match="is a file; give the folder"):
        hub.resolve(file)


def test_only_safe_files_of_the_top_folder_are_fetched(monkeypatch, tmp_path):
    asked = {}

    def download(name, **options):
        asked.update(options, name=name)
        return str(tmp_path)

    monkeypatch.setattr("huggingface_hub.snapshot_download", download)
    assert hub.resolve("google/vit", revision="v1") == tmp_path
    assert asked["name"] == "google/vit"
    assert asked["revision"] == "v1"
    assert asked["allow_patterns"] == ["*.safetensors", "*.json", "*.txt", "*.bpe"]
    assert asked["ignore_patterns"] == ["*/*"]
    assert asked["etag_timeout"] == 5  # seconds that somebody without a network waits


@pytest.mark.parametrize("tokenizer", [BPETokenizer, WordPieceTokenizer, UnigramTokenizer])
def test_a_tokenizer_fetches_no_weights(monkeypatch, tmp_path, tokenizer):
    asked = {}

    def download(_name, **options):
        asked.update(options)
        return str(tmp_path)

    monkeypatch.setattr("huggingface_hub.snapshot_download", download)
    with pytest.raises(MissingDataError, match="vocabulary"):
        tokenizer.from_pretrained("someone/model")
    assert asked["allow_patterns"] == ["*.json", "*.txt", "*.bpe"]
    assert asked["ignore_patterns"] == ["*/*"]


@pytest.mark.parametrize(
    "name", ["a--b", "a..b", "x.git", "a" * 97, "someone/x.git", "someone/a--b", "a.", "a/b-"]
)
def test_names_that_the_hub_refuses_are_the_same_message(offline, name):
    with pytest.raises(MissingDataError, match=r"there is no folder .* hub looks different"):
        hub.resolve(name)
