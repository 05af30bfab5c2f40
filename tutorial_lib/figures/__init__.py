"""Pictures from arrays: pure functions that return a matplotlib figure, one look for the course.

Each function lives in the module of its topic and loads when it is first used. `show` puts a
figure into the notebook together with its alt text.
"""

from tutorial_lib.lazy import loading

_HOME = {
    "architecture": "transformer",
    "attention_lines": "attention_maps",
    "attention_matrix": "attention_maps",
    "bar_chart": "charts",
    "beam_tree": "beams",
    "binary_digits": "positions",
    "course_map": "course",
    "cross_attention": "translation",
    "describe_attention": "attention_maps",
    "describe_results": "positions_results",
    "describe_rotation": "positions_products",
    "describe_schemes": "positions_schemes",
    "describe_sinusoids": "positions",
    "encoder_layer": "transformer",
    "family_tree": "course",
    "gradient_norms": "norms",
    "grid_similarity": "positions_products",
    "head_grid": "attention_maps",
    "heat_map": "heat_maps",
    "histogram": "charts",
    "learning_rates": "objectives",
    "length_curves": "positions_results",
    "length_results": "positions_results",
    "line_chart": "charts",
    "loss_curves": "norms",
    "mask_grid": "masks",
    "masked_weights": "masks",
    "matrix_row": "matrices",
    "measure_saturation": "head_width",
    "merge_step": "merges",
    "moving_columns": "positions",
    "moving_columns_chart": "positions_wavelengths",
    "position_products": "positions_products",
    "position_table": "positions",
    "saturation": "head_width",
    "scheme_grid": "positions_schemes",
    "scheme_scores": "positions_scores",
    "scheme_weights": "positions_scores",
    "score_bars": "scores",
    "shift_change": "positions_scores",
    "shift_rotation": "positions_products",
    "show": "style",
    "sinusoid_map": "positions",
    "smoothed_targets": "objectives",
    "softmax_stages": "softmax",
    "softmax_steps": "softmax",
    "token_strips": "tokens",
    "translation_step": "translation",
    "walk_pipeline": "walk",
    "wavelength_chart": "positions_wavelengths",
    "wavelengths": "positions",
    "word_links": "paths",
    "word_paths": "paths",
}

__all__ = sorted(_HOME)
__getattr__, __dir__ = loading(__name__, _HOME)
