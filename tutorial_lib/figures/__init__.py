"""Pictures from arrays: pure functions that return a matplotlib figure, one look for the course.

Each function lives in the module of its topic and loads when it is first used. `show` puts a
figure into the notebook together with its alt text.
"""

from tutorial_lib.lazy import loading

_HOME = {
    "attention_lines": "attention_maps",
    "attention_matrix": "attention_maps",
    "bar_chart": "charts",
    "course_map": "course",
    "describe_attention": "attention_maps",
    "family_tree": "course",
    "head_grid": "attention_maps",
    "heat_map": "heat_maps",
    "histogram": "charts",
    "line_chart": "charts",
    "mask_grid": "masks",
    "masked_weights": "masks",
    "matrix_row": "matrices",
    "measure_saturation": "head_width",
    "merge_step": "merges",
    "saturation": "head_width",
    "show": "style",
    "softmax_stages": "softmax",
    "softmax_steps": "softmax",
    "token_strips": "tokens",
    "walk_pipeline": "walk",
    "word_links": "paths",
    "word_paths": "paths",
}

__all__ = sorted(_HOME)
__getattr__, __dir__ = loading(__name__, _HOME)
