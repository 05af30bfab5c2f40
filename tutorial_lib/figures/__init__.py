"""Pictures from arrays: pure functions that return a matplotlib figure, one look for the course.

Each function lives in the module of its topic and loads when it is first used. `show` puts a
figure into the notebook together with its alt text.
"""

from typing import TYPE_CHECKING

from tutorial_lib.lazy import loading

if TYPE_CHECKING:
    from tutorial_lib.figures.attention_maps import (
        attention_lines,
        attention_lines_beside,
        attention_matrices_beside,
        attention_matrix,
        describe_attention,
        head_grid,
    )
    from tutorial_lib.figures.chapter00_start_here.course import course_map, describe_course_map
    from tutorial_lib.figures.chapter00_start_here.family import describe_family_tree, family_tree
    from tutorial_lib.figures.chapter00_start_here.worked import (
        describe_worked_scores,
        describe_worked_step,
        worked_scores,
        worked_step,
    )
    from tutorial_lib.figures.chapter01_tokenization.curve import compression_curve
    from tutorial_lib.figures.chapter01_tokenization.lattice import segmentations
    from tutorial_lib.figures.chapter01_tokenization.orders import merge_orders
    from tutorial_lib.figures.chapter01_tokenization.stages import text_stages
    from tutorial_lib.figures.chapter02_attention.ablation import (
        describe_effects_in_pairs,
        effects_in_pairs,
    )
    from tutorial_lib.figures.chapter02_attention.arrows import (
        describe_query_and_keys,
        query_and_keys,
    )
    from tutorial_lib.figures.chapter02_attention.followed import (
        describe_positions_followed,
        positions_followed,
    )
    from tutorial_lib.figures.chapter02_attention.head_width import (
        describe_entropy_over_width,
        entropy_over_width,
        measure_saturation,
        saturation,
    )
    from tutorial_lib.figures.chapter02_attention.heads import (
        head_diagram,
        multi_head_diagram,
    )
    from tutorial_lib.figures.chapter02_attention.lookup import ask_match_hand_over
    from tutorial_lib.figures.chapter02_attention.memory import (
        attention_memory,
        describe_attention_memory,
        measure_attention_memory,
    )
    from tutorial_lib.figures.chapter02_attention.paths import word_links, word_paths
    from tutorial_lib.figures.chapter02_attention.phone_book import phone_book_task
    from tutorial_lib.figures.chapter02_attention.results import (
        describe_one_head_against_eight,
        describe_recall_over_distance,
        one_head_against_eight,
        recall_over_distance,
    )
    from tutorial_lib.figures.chapter02_attention.sinks import (
        describe_parked_weight,
        parked_weight,
    )
    from tutorial_lib.figures.chapter02_attention.softmax import softmax_stages, softmax_steps
    from tutorial_lib.figures.chapter03_positional_encoding.clock_hands import sinusoids_and_digits
    from tutorial_lib.figures.chapter03_positional_encoding.doors import position_doors
    from tutorial_lib.figures.chapter03_positional_encoding.learned import learned_stripes
    from tutorial_lib.figures.chapter03_positional_encoding.results import (
        context_lines,
        length_curves,
        position_maps,
    )
    from tutorial_lib.figures.chapter03_positional_encoding.schemes import (
        describe_schemes,
        scheme_grid,
    )
    from tutorial_lib.figures.chapter03_positional_encoding.scores import (
        scheme_scores,
        scheme_weights,
        shift_change,
    )
    from tutorial_lib.figures.chapter03_positional_encoding.sinusoids import (
        binary_digits,
        describe_sinusoids,
        moving_columns,
        position_table,
        sinusoid_map,
        wavelengths,
    )
    from tutorial_lib.figures.chapter04_transformer.architecture import architecture, encoder_layer
    from tutorial_lib.figures.chapter04_transformer.beams import beam_tree
    from tutorial_lib.figures.chapter04_transformer.label_smoothing import (
        learning_rates,
        smoothed_targets,
    )
    from tutorial_lib.figures.chapter04_transformer.led_astray import written_instead
    from tutorial_lib.figures.chapter04_transformer.norm_axes import norm_axes
    from tutorial_lib.figures.chapter04_transformer.norms import gradient_norms, loss_curves
    from tutorial_lib.figures.chapter04_transformer.translation_scores import (
        describe_score_bars,
        score_bars,
    )
    from tutorial_lib.figures.chapter05_gpt.looking_back import causal_dependencies, growing_cache
    from tutorial_lib.figures.chapter05_gpt.results import (
        cache_times,
        copied_lengths,
        curve_by_position,
        describe_cache_times,
        describe_copied_lengths,
    )
    from tutorial_lib.figures.chapter05_gpt.staircase import describe_staircase, staircase
    from tutorial_lib.figures.chapter05_gpt.text_probability import chain_rule, describe_chain_rule
    from tutorial_lib.figures.chapter05_gpt.top_p_cuts import kept_by_top_p
    from tutorial_lib.figures.chapter05b_prompting.in_context import (
        describe_examples_curve,
        examples_curve,
    )
    from tutorial_lib.figures.chapter05b_prompting.induction_heads import (
        copied_words,
        induction_idea,
        score_grids,
    )
    from tutorial_lib.figures.chapter05b_prompting.prompting import (
        describe_prompting_curves,
        prompting_curves,
    )
    from tutorial_lib.figures.chapter06_bert.across import describe_looks_across, looks_across
    from tutorial_lib.figures.chapter06_bert.filling import (
        describe_filling_orders,
        describe_filling_up,
        filling_orders,
        filling_up,
    )
    from tutorial_lib.figures.chapter06_bert.guesses import describe_gap_guesses, gap_guesses
    from tutorial_lib.figures.chapter06_bert.heads_off import describe_heads_off, heads_off
    from tutorial_lib.figures.chapter06_bert.inputs import (
        describe_input_representation,
        describe_masked_objectives,
        input_representation,
        masked_objectives,
    )
    from tutorial_lib.figures.chapter06_bert.leak import describe_two_layer_leak, two_layer_leak
    from tutorial_lib.figures.chapter06_bert.losses import two_losses
    from tutorial_lib.figures.chapter06_bert.senses import (
        describe_word_by_layer,
        other_word_similarity,
        sense_similarity,
        word_by_layer,
    )
    from tutorial_lib.figures.chapter06_bert.sentence_pairs import (
        describe_next_sentence_sources,
        describe_pair_kinds,
        next_sentence_sources,
        pair_kinds,
    )
    from tutorial_lib.figures.chapter06b_using_bert.answers import (
        MarkedAnswer,
        describe_marked_answers,
        marked_answers,
    )
    from tutorial_lib.figures.chapter06b_using_bert.heads import (
        body_and_heads,
        describe_body_and_heads,
        describe_one_head,
        one_head,
    )
    from tutorial_lib.figures.chapter06b_using_bert.layer_results import (
        describe_layer_scores,
        layer_scores,
    )
    from tutorial_lib.figures.chapter06b_using_bert.low_rank import (
        describe_low_rank_change,
        low_rank_change,
    )
    from tutorial_lib.figures.chapter06b_using_bert.span_pairs import (
        describe_span_pairs,
        span_pairs,
    )
    from tutorial_lib.figures.chapter06b_using_bert.tasks import (
        describe_named_speeches,
        named_speeches,
    )
    from tutorial_lib.figures.chapter07_vit.attention import (
        describe_rollout_against,
        rollout_against,
    )
    from tutorial_lib.figures.chapter07_vit.covered import covered_tiles, describe_covered_tiles
    from tutorial_lib.figures.chapter07_vit.first_layer import token_row
    from tutorial_lib.figures.chapter07_vit.frozen_features import (
        describe_frozen_features,
        frozen_features,
    )
    from tutorial_lib.figures.chapter07_vit.hidden_patches import (
        describe_filled_emoji,
        filled_emoji,
    )
    from tutorial_lib.figures.chapter07_vit.matched_parts import (
        describe_matched_parts,
        matched_parts,
    )
    from tutorial_lib.figures.chapter07_vit.parts import (
        describe_vit_choices,
        vit_choices,
    )
    from tutorial_lib.figures.chapter07_vit.picture_patches import (
        describe_patch_sequence,
        patch_sequence,
    )
    from tutorial_lib.figures.chapter07_vit.pictures import (
        describe_misread_digits,
        misread_digits,
    )
    from tutorial_lib.figures.chapter07_vit.tests_of_maps import (
        beside_the_ink,
        beyond_ink,
        describe_beyond_ink,
        painted_digits,
        shuffled_picture,
    )
    from tutorial_lib.figures.chapter08a_bert_family.changes import (
        bert_changes,
        describe_bert_changes,
    )
    from tutorial_lib.figures.chapter08a_bert_family.forgery import (
        describe_forged_line,
        forged_line,
    )
    from tutorial_lib.figures.chapter08a_bert_family.lessons import (
        copied_layers,
        describe_copied_layers,
        describe_electra_training,
        electra_training,
    )
    from tutorial_lib.figures.chapter08a_bert_family.results import (
        describe_seed_dots,
        seed_dots,
    )
    from tutorial_lib.figures.chapter08b_text_to_text.added import added_beside
    from tutorial_lib.figures.chapter09_beyond_vit.canvases import (
        canvas_answers,
        describe_canvas_answers,
    )
    from tutorial_lib.figures.chapter09_beyond_vit.latents import (
        asked_points,
        describe_asked_points,
        describe_latent_reading,
        latent_reading,
    )
    from tutorial_lib.figures.chapter09_beyond_vit.rows import picture_row
    from tutorial_lib.figures.chapter09_beyond_vit.waves import (
        describe_wave_pictures,
        wave_pictures,
    )
    from tutorial_lib.figures.chapter09_beyond_vit.wholes import (
        describe_perceiver_parts,
        describe_swin_stages,
        perceiver_parts,
        swin_stages,
    )
    from tutorial_lib.figures.chapter09_beyond_vit.windows import (
        describe_rolled_windows,
        rolled_windows,
    )
    from tutorial_lib.figures.chapter09_beyond_vit.windows_reach import (
        describe_windows_reach,
        windows_reach,
    )
    from tutorial_lib.figures.chapter10_text_and_pictures.clips import (
        describe_film_strips,
        film_strips,
    )
    from tutorial_lib.figures.chapter10_text_and_pictures.code_book import (
        describe_vq_machine,
        vq_machine,
    )
    from tutorial_lib.figures.chapter10_text_and_pictures.codes import (
        code_use,
        describe_code_use,
    )
    from tutorial_lib.figures.chapter10_text_and_pictures.family import (
        describe_text_picture_map,
        text_picture_map,
    )
    from tutorial_lib.figures.chapter10_text_and_pictures.inputs import (
        describe_words_and_regions,
        words_and_regions,
    )
    from tutorial_lib.figures.chapter10_text_and_pictures.logits import (
        describe_logit_matrix,
        logit_matrix,
    )
    from tutorial_lib.figures.chapter10_text_and_pictures.scenes import (
        captioned_scenes,
        describe_captioned_scenes,
        describe_word_to_regions,
        word_to_regions,
    )
    from tutorial_lib.figures.chapter10_text_and_pictures.space import (
        describe_one_space,
        one_space,
    )
    from tutorial_lib.figures.chapter10_text_and_pictures.towers import (
        clip_towers,
        describe_clip_towers,
    )
    from tutorial_lib.figures.chapter10_text_and_pictures.written import (
        describe_written_pictures,
        written_pictures,
    )
    from tutorial_lib.figures.charts import (
        bar_chart,
        describe_gains,
        describe_line_chart,
        gains,
        line_chart,
    )
    from tutorial_lib.figures.generation import (
        describe_next_tokens,
        describe_temperatures,
        next_token_bars,
        temperature_bars,
    )
    from tutorial_lib.figures.heat_maps import (
        describe_heat_map,
        describe_heat_map_row,
        heat_map,
        heat_map_row,
    )
    from tutorial_lib.figures.machines import machine
    from tutorial_lib.figures.masks import mask_grid, masked_weights
    from tutorial_lib.figures.positions_products import (
        describe_rotation,
        grid_similarity,
        position_products,
        shift_rotation,
        step_similarity,
    )
    from tutorial_lib.figures.style import show
    from tutorial_lib.figures.tokens import token_strips
    from tutorial_lib.figures.translation import cross_attention
    from tutorial_lib.figures.vit_results import (
        against_cnn,
        describe_against_cnn,
    )

__getattr__, __dir__, __all__ = loading(__name__, __file__)
