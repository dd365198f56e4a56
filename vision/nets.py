"""The two small networks of the reader, as PyTorch trains them: shapes and losses; no picture, no file.

PyTorch is needed for training alone. What the reader runs is written from here by `vision.train`.
"""

import math

import torch
from torch import Tensor, nn

from vision.cut import COLOURS, FACE_PX


def _conv(into: int, out: int, *, step: int = 1) -> nn.Sequential:
    """Convolution, normalisation, rectifier."""
    return nn.Sequential(nn.Conv2d(into, out, 3, step, 1, bias=False), nn.BatchNorm2d(out), nn.ReLU(inplace=True))


class _Block(nn.Module):
    """A residual step of two convolutions."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first = _conv(channels, channels)
        self.second = nn.Sequential(nn.Conv2d(channels, channels, 3, 1, 1, bias=False), nn.BatchNorm2d(channels))

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(x + self.second(self.first(x)))


class Finder(nn.Module):
    """Where dominoes lie: pixels (1, H, W, 3), uint8, H and W multiples of 16, to (24, H/8, W/8) for each.

    Six for each of four cells, (row, column) within the place: log odds of a domino's centre, its place against the
    cell's centre in cells (x, y), the logarithm of the half's side over `NEAR_PX`, and cosine and sine of twice the
    angle of the axis. Most is worked out at an eighth of the size, where it is cheap.
    """

    def __init__(self, c1: int = 16, c2: int = 32) -> None:
        super().__init__()
        self.eighth = nn.Sequential(
            _conv(3, c1, step=2), _conv(c1, c2, step=2), _conv(c2, c2, step=2), _Block(c2), _Block(c2), _Block(c2)
        )
        self.sixteenth = nn.Sequential(_conv(c2, c2, step=2), _Block(c2), _Block(c2), _Block(c2))
        self.answer = nn.Sequential(_Block(c2), nn.Conv2d(c2, 24, 1))
        nn.init.constant_(self.answer[1].bias[:4], -4.0)

    def forward(self, bgr: Tensor) -> Tensor:
        """The answer to one picture."""
        # The square root evens out what a dim lamp does; its scale is of no matter to what is normalised at once.
        eighth = self.eighth(torch.sqrt(bgr.permute(0, 3, 1, 2).float()))
        back = nn.functional.interpolate(self.sixteenth(eighth), scale_factor=2.0, mode="nearest")
        answer: Tensor = self.answer(eighth + back)
        return answer


class FaceReader(nn.Module):
    """What a face shows: folded pixels (N, 14, 24, 12), uint8, a's half on the left, to 25 numbers for each.

    Eight log odds for a's suit (0..6, hidden), eight for b's, one for a domino lying just here, and how far its four
    corners are from where they should be, in sides of a half.
    """

    def __init__(self, c: tuple[int, int, int] = (32, 48, 32), dense: int = 48) -> None:
        super().__init__()
        self.features = nn.Sequential(
            _conv(COLOURS, c[0]),
            _conv(c[0], c[0]),
            _conv(c[0], c[1], step=2),
            _conv(c[1], c[1]),
            _conv(c[1], c[2], step=2),
        )
        rows, columns = FACE_PX
        cells = math.ceil(rows / 8) * math.ceil(columns / 8)
        self.answer = nn.Sequential(
            nn.Flatten(), nn.Dropout(0.1), nn.Linear(c[2] * cells, dense), nn.ReLU(inplace=True), nn.Linear(dense, 25)
        )

    def forward(self, folded: Tensor) -> Tensor:
        """The answers to some faces."""
        x = torch.sqrt(folded.permute(0, 3, 1, 2).float())
        x = x - x.mean(dim=(1, 2, 3), keepdim=True)
        x = x / (torch.sqrt((x * x).mean(dim=(1, 2, 3), keepdim=True)) + 0.32)
        answer: Tensor = self.answer(self.features(x))
        return answer


def finder_loss(answer: Tensor, heat: Tensor, weight: Tensor, pose: Tensor, mask: Tensor) -> Tensor:
    """How wrong the finder is: the centres' log odds by focal loss, the poses where dominoes are.

    Shapes: answer (N, 24, h / 2, w / 2); heat, weight, mask (N, h, w); pose (N, 5, h, w).
    """
    answer = nn.functional.pixel_shuffle(answer, 2)
    chance = torch.sigmoid(answer[:, 0]).clamp(1e-5, 1 - 1e-5)
    peak = heat > 0.99
    hit = -torch.log(chance) * (1 - chance) ** 2 * peak
    miss = -torch.log(1 - chance) * chance**2 * (1 - heat) ** 4 * ~peak
    centres = ((hit + miss) * weight).sum() / peak.sum().clamp(min=1)
    poses = (torch.abs(answer[:, 1:] - pose).sum(dim=1) * mask).sum() / mask.sum().clamp(min=1)
    return 2 * centres + poses


def face_loss(answer: Tensor, suits: Tensor, domino: Tensor, corners: Tensor) -> Tensor:
    """How wrong the face reader is; suits (N, 2) with -1 where unknown, domino (N,) 0, 1 or -1, corners (N, 8)."""
    halves = answer[:, :16].reshape(-1, 8)
    read = nn.functional.cross_entropy(halves, suits.reshape(-1), ignore_index=-1)
    known = domino >= 0
    there = nn.functional.binary_cross_entropy_with_logits(answer[known, 16], domino[known].float())
    lying = domino == 1
    placed = torch.abs(answer[lying, 17:] - corners[lying]).mean() if bool(lying.any()) else answer.sum() * 0
    return read + there + 2 * placed
