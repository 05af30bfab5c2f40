"""GGUF: equal to what `gguf` reads; whatever is damaged is refused at once."""

import struct

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tutorial_lib.errors import DamagedFileError, MissingDataError
from tutorial_lib.files import gguf_files, gguf_in, read_gguf

gguf = pytest.importorskip("gguf")
KINDS = ["F32", "F16", "BF16", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0"]


def write(path, tensors=(), **facts):
    """Write a GGUF by `gguf` itself; tensors {name: (array, kind)}."""
    writer = gguf.GGUFWriter(path, "llama")
    for name, fact in facts.items():
        writer.add_key_value(name, fact, gguf.GGUFValueType.get_type(fact))
    for name, (array, kind) in dict(tensors).items():
        kind = gguf.GGMLQuantizationType[kind]
        packed = gguf.quantize(array, kind)
        raw = None if packed.dtype in (np.float32, np.float16) else kind
        writer.add_tensor(name, packed, raw_dtype=raw)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


@pytest.fixture
def arrays():
    random = np.random.default_rng(0)
    shapes = {"matrix": (5, 64), "vector": (96,), "deep": (2, 3, 32)}
    return {name: random.standard_normal(shape, np.float32) for name, shape in shapes.items()}


@pytest.fixture
def small(tmp_path, arrays):
    tensors = {name: (array, "Q4_1") for name, array in arrays.items()}
    facts = {
        "text": "être",
        "number": 7,
        "share": 0.5,
        "yes": True,
        "words": ["a", "日"],
        "n": [3, 4],
    }
    return write(tmp_path / "small.gguf", tensors, **facts)


def unpacked(tensor):
    place = torch.full(tensor.shape, torch.nan)
    tensor.copy_to(place)
    return place


@pytest.mark.parametrize("kind", KINDS)
def test_numbers_equal_those_that_gguf_unpacks(tmp_path, arrays, kind, monkeypatch):
    path = write(tmp_path / "a.gguf", {name: (array, kind) for name, array in arrays.items()})
    ours = read_gguf(path).tensors
    theirs = {tensor.name: tensor for tensor in gguf.GGUFReader(path).tensors}
    assert ours.keys() == theirs.keys() == arrays.keys()
    for at_once in (1 << 22, 130, 1):  # all in one, two rows of 64, row by row
        monkeypatch.setattr(gguf_files, "_AT_ONCE", at_once)
        for name, tensor in theirs.items():
            expected = gguf.dequantize(tensor.data, tensor.tensor_type).reshape(arrays[name].shape)
            assert ours[name].shape == arrays[name].shape
            assert np.array_equal(unpacked(ours[name]).numpy(), expected)
            assert np.allclose(expected, arrays[name], atol=0.6)


def test_numbers_go_into_the_dtype_and_the_rows_of_the_place(small, arrays):
    whole = torch.zeros(9, 64, dtype=torch.bfloat16)
    matrix = read_gguf(small).tensors["matrix"]
    matrix.copy_to(whole[2:7])
    assert torch.equal(whole[2:7], unpacked(matrix).bfloat16())
    assert not whole[:2].any()
    assert not whole[7:].any()


def test_facts(small):
    facts = read_gguf(small).facts
    assert facts.pop("general.architecture") == "llama"
    expected = {"text": "être", "number": 7, "share": 0.5, "yes": True}
    assert facts == expected | {"words": ["a", "日"], "n": [3, 4]}


def test_the_one_file_in_a_folder(small, tmp_path):
    assert gguf_in(tmp_path) == small
    (tmp_path / "other.gguf").touch()
    with pytest.raises(DamagedFileError, match=r"several models.*: other\.gguf, small\.gguf"):
        gguf_in(tmp_path)
    (tmp_path / "empty").mkdir()
    assert gguf_in(tmp_path / "empty") is None


def test_missing_and_empty_files(tmp_path):
    with pytest.raises(MissingDataError, match="there is no file"):
        read_gguf(tmp_path / "nothing.gguf")
    (tmp_path / "a.gguf").touch()
    with pytest.raises(DamagedFileError, match=r"a\.gguf is empty"):
        read_gguf(tmp_path / "a.gguf")
    (tmp_path / "a.gguf").write_bytes(b"<!DOCTYPE html>")
    with pytest.raises(DamagedFileError, match=r"begins with b'<!DO', not with b'GGUF'"):
        read_gguf(tmp_path / "a.gguf")


def test_wherever_it_is_cut_off_it_is_refused(small):
    whole = small.read_bytes()
    last = max(tensor.offset + tensor.n_bytes for tensor in read_gguf(small).tensors.values())
    for length in range(1, last):
        small.write_bytes(whole[:length])
        with pytest.raises(DamagedFileError):
            read_gguf(small)


def test_a_file_that_shrinks_after_it_was_opened(small):
    last = max(read_gguf(small).tensors.values(), key=lambda tensor: tensor.offset)
    small.write_bytes(small.read_bytes()[: last.offset + 5])
    with pytest.raises(DamagedFileError, match="has become shorter while it was read"):
        unpacked(last)


def header(*parts, version=3, n_tensors=0, n_facts=0):
    """The bytes of a GGUF; parts are bytes, texts (with their length) or numbers (32 bits)."""
    content = b"GGUF" + struct.pack("<IQQ", version, n_tensors, n_facts)
    for part in parts:
        if isinstance(part, str):
            content += struct.pack("<Q", len(part.encode())) + part.encode()
        else:
            content += part if isinstance(part, bytes) else struct.pack("<I", part)
    return content + bytes(1 << 10)


def q(*numbers):
    return struct.pack(f"<{len(numbers)}Q", *numbers)


HUGE = 2**63 - 1
DAMAGES = {
    "old": (header(version=1), r"its version is 1, known are \(2, 3\)"),
    "the other end first": (header(version=3 << 24), "its version is 50331648"),
    "facts without end": (header(n_facts=HUGE), "bytes of entries should follow"),
    "tensors without end": (header(n_tensors=HUGE), "bytes of entries should follow"),
    "a name without end": (header(q(HUGE), n_facts=1), "bytes of text should follow"),
    "texts without end": (header("a", 9, 8, q(HUGE), n_facts=1), "bytes of a should follow"),
    "numbers without end": (header("a", 9, 4, q(HUGE), n_facts=1), "bytes of numbers should"),
    "lists of lists": (header("a", 9, 9, q(1), n_facts=1), "a is of an unknown kind, 9"),
    "an unknown kind": (header("a", 13, n_facts=1), "a is of an unknown kind, 13"),
    "no UTF-8": (header(q(1) + b"\xff", n_facts=1), "can't decode byte 0xff"),
    "a fact twice": (header("a", 4, 1, "a", 4, 2, n_facts=2), "it holds a twice"),
    "a tensor twice": (
        header(*2 * ("w", 1, q(4), 0, q(0)), n_tensors=2), "it holds w twice",
    ),
    "no axis": (header("w", 0, n_tensors=1), "w has 0 axes"),
    "too many axes": (header("w", 2**31, n_tensors=1), "w has 2147483648 axes"),
    "an empty axis": (header("w", 2, q(0, 3), 0, q(0), n_tensors=1), r"w has the shape \(3, 0\)"),
    "huge": (header("w", 4, q(*4 * [HUGE]), 0, q(0), n_tensors=1), "ends before its tensor w"),
    "far away": (header("w", 1, q(4), 0, q(HUGE), n_tensors=1), "ends before its tensor w"),
    "unknown packing": (header("w", 1, q(4), 99, q(0), n_tensors=1), "in an unknown way, 99"),
    "half a block": (header("w", 1, q(33), 3, q(0), n_tensors=1), "rows of 33, .* blocks of 32"),
    "alignment of 0": (header("general.alignment", 4, 0, n_facts=1), "general.alignment is 0"),
    "alignment in words": (header("general.alignment", 8, "x", n_facts=1), "alignment is 'x'"),
}  # fmt: skip


@pytest.mark.parametrize(("content", "message"), DAMAGES.values(), ids=DAMAGES)
def test_what_cannot_be_is_refused_at_once(tmp_path, content, message):
    path = tmp_path / "bad.gguf"
    path.write_bytes(content)
    with pytest.raises(DamagedFileError, match=message) as caught:
        read_gguf(path)
    assert str(path) in str(caught.value)


def test_a_packing_that_gguf_cannot_undo(tmp_path):
    path = tmp_path / "whole.gguf"
    path.write_bytes(header("w", 1, q(4), int(gguf.GGMLQuantizationType.I32), q(0), n_tensors=1))
    with pytest.raises(DamagedFileError, match="packs its numbers as I32, which cannot be"):
        unpacked(read_gguf(path).tensors["w"])


@settings(max_examples=300)
@given(data=st.data())
def test_any_changed_bytes_are_refused_or_read(tmp_path_factory, data):
    path = tmp_path_factory.getbasetemp() / "changed.gguf"
    if not path.exists():
        write(path, {"w": (np.ones((2, 32), np.float32), "Q4_1")}, words=["a", "b"], number=7)
        path.with_suffix(".good").write_bytes(path.read_bytes())
    content = bytearray(path.with_suffix(".good").read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(content) - 1))
        content[place] = data.draw(st.integers(0, 255))
    path.write_bytes(content)
    try:
        file = read_gguf(path)
        for tensor in file.tensors.values():
            if np.prod(tensor.shape) < 1e6:
                unpacked(tensor)
    except DamagedFileError:
        pass
