"""Keys and values kept from one generated token to the next."""

import torch

from tutorial_lib.errors import ContextError, ShapeError


class KVCache:
    """Room for the keys and values of one attention layer, allocated once.

    Holds up to `context` positions for `batch` sequences: two tensors (B, H, context, K).
    Growing by concatenation would copy everything at every token; this writes in place,
    so use it without gradients.

    >>> cache = KVCache(batch=1, n_heads=2, context=8, d_head=4)
    >>> k = torch.zeros(1, 2, 3, 4)
    >>> keys, values = cache.append(k, k)
    >>> len(cache), keys.shape
    (3, torch.Size([1, 2, 3, 4]))
    """

    def __init__(self, batch, n_heads, context, d_head, dtype=torch.float32, device=None):
        shape = (batch, n_heads, context, d_head)
        self.keys = torch.empty(shape, dtype=dtype, device=device)
        self.values = torch.empty(shape, dtype=dtype, device=device)
        self.length = 0

    def __len__(self):
        return self.length

    def append(self, k, v):
        """Write k, v (B, H, T, K) after what is there; return all (B, H, S, K) so far.

        Raises ContextError when the context is full, ShapeError when batch, heads or width
        differ from what the cache was made for.
        """
        batch, n_heads, context, d_head = self.keys.shape
        if (k.size(0), k.size(1), k.size(3)) != (batch, n_heads, d_head):
            raise ShapeError(
                f"this cache holds (B, H, length, K) = ({batch}, {n_heads}, up to {context}, "
                f"{d_head}), got {tuple(k.shape)}"
            )
        end = self.length + k.size(2)
        if end > context:
            raise ContextError(
                f"the cache has room for {context} positions; it holds {self.length} "
                f"and {k.size(2)} more came"
            )
        self.keys[:, :, self.length : end] = k
        self.values[:, :, self.length : end] = v
        self.length = end
        return self.contents()

    def contents(self):
        """Return the keys and values written so far, (B, H, S, K) each, as views."""
        return self.keys[:, :, : self.length], self.values[:, :, : self.length]

    def reorder(self, rows):
        """Let sequence b go on from what sequence rows[b] has read; rows (B,) whole numbers."""
        for kept in (self.keys, self.values):
            written = kept[:, :, : self.length]
            written.copy_(written[rows])  # indexing copies first, so no row is overwritten early


class ModelCache:
    """The caches of a whole model: one KVCache a layer, and one more where it looks at a source.

    `len` is the number of tokens read so far. cross stays None until the first pass brings the
    source, whose keys and values are then computed once.

    >>> cache = ModelCache([KVCache(batch=1, n_heads=2, context=8, d_head=4) for _ in range(3)])
    >>> len(cache), len(cache.layers)
    (0, 3)
    """

    def __init__(self, layers):
        self.layers = layers
        self.cross = None

    def __len__(self):
        return len(self.layers[0])

    def restart(self):
        """Forget the tokens read so far; the room stays, and so does what is kept of the source."""
        for layer in self.layers:
            layer.length = 0

    def reorder(self, rows):
        """Let sequence b go on from what sequence rows[b] has read (beam search)."""
        for layer in (*self.layers, *(self.cross or ())):
            layer.reorder(rows)
