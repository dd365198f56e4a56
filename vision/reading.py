"""What one look at the table found: dominoes, their halves, how they hang together; plain records, never arrays.

Points are pixels ``(x, y)`` of the picture that was read, x to the right and y down. Suits are the ints 0..6.
Nothing here knows a rule of the game: a domino that does not fit still belongs to its chain, for there it lies.
"""

from dataclasses import dataclass, replace

Point = tuple[float, float]

SUITS = 7
_SUM_TOLERANCE = 1e-6
DOUBTFUL = 0.9
"""A half less sure than this is worth another look."""


@dataclass(frozen=True, slots=True)
class Half:
    """One half of a domino's face."""

    probabilities: tuple[float, ...] | None
    """Seven, for the suits 0..6, with sum 1; None when the half cannot be seen."""

    def __post_init__(self) -> None:
        if self.probabilities is None:
            return
        if len(self.probabilities) != SUITS or abs(sum(self.probabilities) - 1.0) > _SUM_TOLERANCE:
            raise ValueError(f"expected seven probabilities with sum 1, got {self.probabilities}")

    @property
    def suit(self) -> int | None:
        """The most probable suit; None when the half cannot be seen."""
        if self.probabilities is None:
            return None
        return self.probabilities.index(max(self.probabilities))

    @property
    def confidence(self) -> float:
        """The probability of `suit`, in [0, 1]; 0 when the half cannot be seen."""
        return 0.0 if self.probabilities is None else max(self.probabilities)


@dataclass(frozen=True, slots=True)
class Domino:
    """One domino as it lies in the picture."""

    a: Half
    b: Half
    corners: tuple[Point, Point, Point, Point]
    """Going round the face; corners 0 and 1 are at a's end, 2 and 3 at b's."""
    confidence: float
    """How sure it is that a domino lies here, in [0, 1]."""
    looks: int = 1
    """How many looks its halves are the mean of, while it rested."""

    @property
    def centre(self) -> Point:
        """The mean of the four corners."""
        (x0, y0), (x1, y1), (x2, y2), (x3, y3) = self.corners
        return ((x0 + x1 + x2 + x3) / 4, (y0 + y1 + y2 + y3) / 4)

    def moved(self, right: float, down: float) -> "Domino":
        """The same domino so many pixels elsewhere."""
        c0, c1, c2, c3 = ((x + right, y + down) for x, y in self.corners)
        return replace(self, corners=(c0, c1, c2, c3))


def is_doubtful(domino: Domino) -> bool:
    """Whether a half of it is worth another look."""
    return min(domino.a.confidence, domino.b.confidence) < DOUBTFUL


@dataclass(frozen=True, slots=True)
class Link:
    """One domino's place in a chain."""

    domino: int
    """Index into `Reading.dominoes`."""
    flipped: bool
    """Whether b comes first along the chain. For a domino lying crosswise it says nothing."""


@dataclass(frozen=True, slots=True)
class Branch:
    """A domino that touches another where the line goes through; both are indices into `Reading.dominoes`."""

    domino: int
    at: int


@dataclass(frozen=True, slots=True)
class Reading:
    """Everything found in one picture."""

    dominoes: tuple[Domino, ...] = ()
    chains: tuple[tuple[Link, ...], ...] = ()
    """Chains of two or more by geometry, longest first; no domino is in two chains or twice in one."""
    branches: tuple[Branch, ...] = ()
    """Where one chain, or a domino in none, touches the middle of another."""
    bare: tuple[Domino, ...] | None = None
    """Dominoes of earlier pictures that are gone, and where they lay nothing lies; None: nobody has looked for that."""

    def __post_init__(self) -> None:
        used = [link.domino for chain in self.chains for link in chain]
        if len(used) != len(set(used)) or any(not 0 <= index < len(self.dominoes) for index in used):
            raise ValueError(f"expected every chained domino once among {len(self.dominoes)}, got indices {used}")
        if any(not 0 <= i < len(self.dominoes) for branch in self.branches for i in (branch.domino, branch.at)):
            raise ValueError(f"expected branches among {len(self.dominoes)} dominoes, got {self.branches}")

    @property
    def line(self) -> tuple[Link, ...]:
        """The longest chain, or () when no two dominoes hang together."""
        return self.chains[0] if self.chains else ()

    def along(self, chain: tuple[Link, ...]) -> tuple[tuple[Half, Half], ...]:
        """The halves of a chain's dominoes, each pair in the order met along the chain."""
        found = (self.dominoes[link.domino] for link in chain)
        return tuple((d.b, d.a) if link.flipped else (d.a, d.b) for d, link in zip(found, chain, strict=True))
