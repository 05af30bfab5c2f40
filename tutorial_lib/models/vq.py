"""Pictures as a few whole numbers: a book of codes between two small networks (VQ-VAE).

An encoder makes one vector for each cell of a small grid; the book replaces it by the nearest of
its own vectors, whose number is the cell's code; a decoder paints the picture from these (van den
Oord et al. 2017).
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import torch
import torch.nn.functional as F
from torch import nn

from tutorial_lib.errors import ShapeError, VocabularyError
from tutorial_lib.models.base import Model
from tutorial_lib.models.checks import (
    check_images,
    check_tensor,
    check_whole_number,
    check_whole_numbers,
    is_number,
)

__all__ = ["CodeBook", "Coded", "VQAutoencoder", "VQConfig"]

DEAD = 0.02  # a code is dead when it is used this often, compared with all codes used alike
MEMORY = 0.99  # of the running share of each code: about the last 100 batches count


class Coded(NamedTuple):
    """What a book or an autoencoder makes of its input.

    result: the vectors of the nearest codes, or the pictures that were painted from them; codes:
    their numbers; loss: what the book has to learn from, one number.
    """

    result: torch.Tensor
    codes: torch.Tensor
    loss: torch.Tensor


class CodeBook(nn.Module):
    """n_codes vectors that stand for all others: each input becomes the nearest of them.

    x (..., D) -> Coded: vectors (..., D), codes (...), and the loss (van den Oord et al. 2017,
    eq. 3, its last two terms). The first moves the codes to what they stand for; the second,
    commitment times as large, moves the input to its code. Choosing the nearest has no gradient, so
    that of the vectors passes straight through to x.
    In training a code that is hardly used any more starts afresh at an input of the batch. A new
    book has used none, so the first batch fills it.

    Raises ShapeError when a size is not positive or x has another width, ValueError when commitment
    is negative.

    >>> book = CodeBook(n_codes=2, width=2).eval()
    >>> _ = book.vectors.data.copy_(torch.tensor([[0.0, 0.0], [1.0, 1.0]]))
    >>> book(torch.tensor([[0.9, 0.8], [0.1, -0.2]])).codes
    tensor([1, 0])
    """

    def __init__(self, n_codes, width, commitment=0.25):
        super().__init__()
        check_whole_number("n_codes", n_codes)
        check_whole_number("width", width)
        if not is_number(commitment) or not 0 <= commitment < float("inf"):
            raise ValueError(f"commitment must be a number of at least 0, got {commitment!r}")
        self.commitment = commitment
        self.vectors = nn.Parameter(torch.randn(n_codes, width))  # (V, D)
        self.register_buffer("use", torch.zeros(n_codes))  # the share of each code, lately

    def forward(self, x):
        """Return the Coded of x (..., D)."""
        if self.training:
            self.revive(x)
        codes = self.nearest(x)  # (...)
        vectors = self.lookup(codes)  # (..., D)
        loss = F.mse_loss(vectors, x.detach())  # the codes move
        loss = loss + self.commitment * F.mse_loss(x, vectors.detach())  # the encoder moves
        if self.training:
            self.count(codes)
        straight_through = x + (vectors - x).detach()  # the value of vectors, the gradient of x
        return Coded(straight_through, codes, loss)

    @torch.no_grad()
    def nearest(self, x):
        """Return the number of the code that is nearest to each vector of x: (...) of (..., D)."""
        self._check(x)
        flat = x.reshape(-1, x.size(-1))  # (N, D)
        # |x - v|² = |x|² - 2 x·v + |v|², and |x|² is the same for all codes.
        distances = self.vectors.square().sum(dim=1) - 2 * flat @ self.vectors.T  # (N, V)
        return distances.argmin(dim=1).view(x.shape[:-1])

    def lookup(self, codes):
        """Return the vectors (..., D) of codes (...).

        Raises ShapeError unless codes are whole numbers, VocabularyError for one that the book does
        not have.

        >>> CodeBook(n_codes=4, width=2).lookup(torch.tensor([[0, 4]]))
        Traceback (most recent call last):
        ...
        tutorial_lib.errors.VocabularyError: codes must lie between 0 and 3, got 4
        """
        check_tensor("codes", codes)
        if codes.dtype not in (torch.int64, torch.int32) or not codes.numel():
            raise ShapeError(
                f"codes must be torch.long, at least one; got {codes.dtype} {tuple(codes.shape)}"
            )
        low, high = (int(code) for code in codes.aminmax())
        if low < 0 or high >= len(self.vectors):
            wrong = low if low < 0 else high
            raise VocabularyError(
                f"codes must lie between 0 and {len(self.vectors) - 1}, got {wrong}"
            )
        return F.embedding(codes, self.vectors)

    @torch.no_grad()
    def count(self, codes):
        """Note how often each code was used: a running mean of its share of all."""
        counts = torch.bincount(codes.flatten(), minlength=len(self.use))
        self.use.lerp_(counts / counts.sum(), 1 - MEMORY)

    @torch.no_grad()
    def revive(self, x):
        """Start each dead code afresh, at a random vector of x (..., D)."""
        self._check(x)
        alike = 1 / len(self.use)
        dead = self.use < DEAD * alike
        if dead.any():
            flat = x.reshape(-1, x.size(-1))  # (N, D)
            chosen = torch.randint(len(flat), (int(dead.sum()),), device=x.device)
            self.vectors[dead] = flat[chosen]
            self.use[dead] = alike  # a few hundred batches until it may be dead again

    def _check(self, x):
        check_tensor("x", x)
        width = self.vectors.size(1)
        if x.dim() < 1 or x.size(-1) != width or not x.numel() or not x.is_floating_point():
            raise ShapeError(
                f"x must be floating point of shape (..., {width}), got {x.dtype} {tuple(x.shape)}"
            )


@dataclass(frozen=True)
class VQConfig:
    """The sizes of a VQAutoencoder.

    image_size: pixels along each side; halvings: how often the encoder halves them; n_codes and
    width: of the book; d_hidden: channels of the two networks, n_residual: layers that each adds at
    the smallest size; commitment as in CodeBook.
    Raises ShapeError when a size is not positive or the side cannot be halved as often.

    >>> VQConfig(image_size=64, halvings=3).side
    8
    """

    image_size: int = 64
    channels: int = 3
    halvings: int = 3
    d_hidden: int = 64
    n_residual: int = 2
    n_codes: int = 256
    width: int = 32
    commitment: float = 0.25

    def __post_init__(self):
        sizes = ("image_size", "channels", "halvings", "d_hidden", "n_residual", "n_codes", "width")
        check_whole_numbers(self, sizes)
        if self.image_size % 2**self.halvings:
            raise ShapeError(
                f"{self.image_size} pixels cannot be halved {self.halvings} times: "
                f"{2**self.halvings} does not divide them"
            )

    @property
    def side(self):
        """How many codes there are along each side."""
        return self.image_size // 2**self.halvings

    def build(self):
        """Return a VQAutoencoder of these sizes with random weights."""
        return VQAutoencoder(self)


class ResidualConvolutions(nn.Module):
    """x + what two convolutions find in it, on maps (B, D, height, width)."""

    def __init__(self, d_hidden):
        super().__init__()
        self.near = nn.Conv2d(d_hidden, d_hidden, kernel_size=3, padding=1)
        self.mixed = nn.Conv2d(d_hidden, d_hidden, kernel_size=1)

    def forward(self, x):
        """Return (B, D, height, width) from x of this shape."""
        return x + self.mixed(self.near(x.relu()).relu())


class VQAutoencoder(Model):
    """Pictures to a grid of codes, and back.

    images (B, C, height, width) from 0 to 1, of the config's size. Returns Coded: the pictures
    painted from the codes, from 0 to 1; codes (B, side, side); the book's loss.

    Raises ShapeError when images have another shape or dtype.

    >>> sizes = {"image_size": 8, "halvings": 2, "d_hidden": 4, "n_codes": 5, "width": 3}
    >>> model = VQAutoencoder(VQConfig(**sizes)).eval()
    >>> codes = model.encode(torch.rand(1, 3, 8, 8))
    >>> codes.shape, model.decode(codes).shape
    (torch.Size([1, 2, 2]), torch.Size([1, 3, 8, 8]))
    """

    config_class: ClassVar = VQConfig
    layer_counts: ClassVar = ("halvings", "n_residual")

    def __init__(self, config):
        super().__init__(config)
        hidden = config.d_hidden
        smaller = [nn.Conv2d(config.channels, hidden, kernel_size=4, stride=2, padding=1)]
        larger = [nn.ConvTranspose2d(hidden, config.channels, kernel_size=4, stride=2, padding=1)]
        for _ in range(config.halvings - 1):
            halve = nn.Conv2d(hidden, hidden, kernel_size=4, stride=2, padding=1)
            double = nn.ConvTranspose2d(hidden, hidden, kernel_size=4, stride=2, padding=1)
            smaller += [nn.ReLU(), halve]
            larger = [double, nn.ReLU(), *larger]
        self.encoder = nn.Sequential(
            *smaller,
            *(ResidualConvolutions(hidden) for _ in range(config.n_residual)),
            nn.ReLU(),
            nn.Conv2d(hidden, config.width, kernel_size=1),
        )
        self.book = CodeBook(config.n_codes, config.width, config.commitment)
        self.decoder = nn.Sequential(
            nn.Conv2d(config.width, hidden, kernel_size=3, padding=1),
            *(ResidualConvolutions(hidden) for _ in range(config.n_residual)),
            nn.ReLU(),
            *larger,
            nn.Sigmoid(),
        )

    def forward(self, images):
        """Return the Coded of images (B, C, height, width)."""
        found = self.book(self.cells(images))  # vectors (B, side, side, D), codes (B, side, side)
        return Coded(self.paint(found.result), found.codes, found.loss)

    def loss(self, images):
        """Return what training makes small: the error of the pictures, and the book's loss."""
        painted = self(images)
        return F.mse_loss(painted.result, images) + painted.loss

    @torch.no_grad()
    def encode(self, images):
        """Return the codes (B, side, side) of images (B, C, height, width)."""
        return self.book.nearest(self.cells(images))

    @torch.no_grad()
    def decode(self, codes):
        """Return the pictures (B, C, height, width) that codes (B, side, side) stand for.

        Raises ShapeError for another grid, VocabularyError for a code that the book does not have.
        """
        check_tensor("codes", codes)
        side = self.config.side
        if codes.dim() != 3 or tuple(codes.shape[1:]) != (side, side):
            raise ShapeError(f"codes must have shape (B, {side}, {side}), got {tuple(codes.shape)}")
        return self.paint(self.book.lookup(codes))

    def cells(self, images):
        """Return the encoder's vectors (B, side, side, D), before the book."""
        check_images(images, self.config, self.book.vectors.dtype)
        return self.encoder(images).permute(0, 2, 3, 1)  # (B, D, side, side): channels last

    def paint(self, vectors):
        """Return the decoder's pictures (B, C, height, width) of vectors (B, side, side, D)."""
        return self.decoder(vectors.permute(0, 3, 1, 2))
