"""Guessing hidden patches: a ViT's own masked words (Dosovitskiy et al. 2020, section B.1.2)."""

import torch

from tutorial_lib.errors import ShapeError
from tutorial_lib.models.checks import check_ids, check_tensor


class MaskedPatches:
    """What a ViT with n_patch_classes can do besides; mixed into `ViT`."""

    def masked_patch_logits(self, images, masked, source=None):
        """Return what each patch may be, (B, N, patch classes), after hiding some.

        masked (B, N) bool, True: the patch is replaced by the mask vector; source (B, N): the patch
        whose vector each position gets, its own by default.
        Raises MissingHeadError when this model has no such head, ShapeError when one of them has
        another shape or dtype, VocabularyError for a source that is no patch.
        """
        head = self._patch_head()
        last = self.hidden_states(images, masked, source)[-1]  # (B, T, D)
        return head(last[:, int(self.config.pooling == "cls") :])  # [CLS] is no patch

    def check_masking(self, masked, source):
        """Return those of the two that are given, by name; raise as `masked_patch_logits` does."""
        given = {"masked": masked, "source": source}
        given = {name: tensor for name, tensor in given.items() if tensor is not None}
        if masked is not None:
            self._patch_head()  # without it there is no mask vector either
            check_tensor("masked", masked)
            if masked.dtype != torch.bool:
                raise ShapeError(f"masked must be torch.bool, True = hidden; got {masked.dtype}")
        if source is not None:
            check_ids("source", source, self.config.n_patches)
        return given

    def _patch_head(self):
        return self._part("patch_head", "head for hidden patches", "n_patch_classes=512")
