from tutorial_lib import figures


def test_written_out_memory_grows_with_the_square_and_fused_with_the_length():
    lengths = (512, 1024, 2048)
    megabytes = figures.measure_attention_memory(lengths)
    assert megabytes["written out"][2] > 3.5 * megabytes["written out"][1]
    assert megabytes["fused"][2] < 2.2 * megabytes["fused"][1]
    assert len(figures.attention_memory(megabytes, lengths).axes[0].lines) == 2
    assert "fused 0." in figures.describe_attention_memory(megabytes, lengths)
