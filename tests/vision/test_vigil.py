"""An evening in front of the vigil: each thing that may happen to a camera is told and withdrawn, and play is not."""

from collections.abc import Callable
from functools import cache

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.frame import Frame
from vision.layout import LineLayout
from vision.look import Look
from vision.render import Backdrop, Placed, Reaching
from vision.rest import Rest, rest_of
from vision.rig import Rig
from vision.things import scoresheet
from vision.vigil import Ails, Heals, Vigil

Bgr = NDArray[np.uint8]
Change = Callable[[Bgr, int], Bgr]
RIG = Rig(fill=0.96)
LOOKS = {
    "felt": Look(noise=1.5),
    "wood": Look(surface="wood", table_bgr=(74, 118, 166), unevenness=0.35, light_deg=40.0),
}


@cache
def backdrop(name: str) -> Backdrop:
    return Backdrop(RIG, LOOKS[name], np.random.default_rng(7))


@cache
def stills(name: str) -> tuple[Bgr, ...]:
    """The bare table, with noise of its own each time."""
    backdrop(name).lay(())
    return tuple(backdrop(name).picture().bgr for _ in range(3))


@cache
def rest(name: str) -> Rest:
    return rest_of(stills(name)[0], RIG.table())


def told(name: str, change: Change, seconds: int, after: int = 0, *, known: Rest | None = None) -> list[str]:
    """What is told of so many seconds in which every frame is changed so, and so many after in which none is."""
    vigil = Vigil(table=RIG.table(), rest=known or rest(name))
    news: list[str] = []
    for second in range(seconds + after):
        still = stills(name)[second % 3]
        bgr = still
        if second < seconds:
            bgr = changed(change, name, second % 3) if change in STEADY else change(still, second)
        told_now = vigil.look(Frame(bgr, second * 1_000_000_000, second))
        news += [one.code if isinstance(one, Ails) else f"{one.code} is over" for one in told_now]
    return news


def scaled(bgr: Bgr, factor: float | NDArray[np.float64]) -> Bgr:
    return np.asarray(cv2.multiply(bgr, np.broadcast_to(np.asarray(factor, np.float32), bgr.shape), dtype=cv2.CV_8U))


def pushed(bgr: Bgr, second: int) -> Bgr:
    """The camera pushed by a centimetre and turned a little."""
    turn = cv2.getRotationMatrix2D((640, 360), 0.4, 1.0)
    turn[:, 2] += (7, -4)
    return np.asarray(cv2.warpAffine(bgr, turn, (1280, 720), borderMode=cv2.BORDER_REPLICATE), np.uint8)


def unfocused(bgr: Bgr, second: int) -> Bgr:
    return np.asarray(cv2.GaussianBlur(bgr, (0, 0), 2.2), np.uint8)


def far_out_of_focus(bgr: Bgr, second: int) -> Bgr:
    return np.asarray(cv2.GaussianBlur(bgr, (0, 0), 7.0), np.uint8)


def smeared(bgr: Bgr, second: int) -> Bgr:
    """A thumb on the left of the lens."""
    blurred = cv2.GaussianBlur(bgr, (0, 0), 5.0)
    thumb = np.zeros(bgr.shape[:2], np.float32)
    cv2.ellipse(thumb, (300, 360), (160, 500), 0, 0, 360, 1.0, -1)
    dirt = np.asarray(cv2.GaussianBlur(thumb, (0, 0), 25))[..., None]
    return np.asarray(np.round(bgr * (1 - dirt) + blurred * dirt), np.uint8)


def banded(bgr: Bgr, second: int) -> Bgr:
    """A lamp of 100 flickers a second under a shutter that takes a third of one, anywhere in it at each frame."""
    phase = 0.618 * second
    return scaled(bgr, (1 + 0.06 * np.sin(2 * np.pi * (3 * np.arange(720) / 720 + phase)))[:, None, None])


def pulsing(bgr: Bgr, second: int) -> Bgr:
    """The same lamp under a shutter that opens for all rows at once."""
    return scaled(bgr, 1 + 0.07 * np.sin(2 * np.pi * 0.618 * second))


def dimmed(bgr: Bgr, second: int) -> Bgr:
    return scaled(bgr, 0.55)


def sunlit(bgr: Bgr, second: int) -> Bgr:
    return scaled(bgr, 1.7)


def blue_lamp(bgr: Bgr, second: int) -> Bgr:
    return scaled(bgr, np.array((1.15, 1.0, 0.85)))


STEADY = frozenset({pushed, unfocused, far_out_of_focus, smeared, dimmed, sunlit, blue_lamp})
"""Changes that are the same in every second."""


@cache
def changed(change: Change, name: str, number: int) -> Bgr:
    return change(stills(name)[number], 0)


@pytest.mark.parametrize("name", LOOKS)
@pytest.mark.parametrize(
    ("change", "code", "seconds"),
    [
        (pushed, "camera_moved", 8),
        (unfocused, "lens_soft", 24),
        (far_out_of_focus, "lens_soft", 24),
        (smeared, "lens_soft", 24),
        (banded, "light_flickers", 30),
        (pulsing, "light_flickers", 30),
        (dimmed, "exposure_drifts", 64),
        (sunlit, "exposure_drifts", 64),
        (blue_lamp, "white_balance_drifts", 64),
    ],
)
def test_fault_of_the_camera_is_told_and_withdrawn(name: str, change: Change, code: str, seconds: int) -> None:
    """Each is told once, by its own code and no other, when it has lasted; and withdrawn once it is over."""
    assert told(name, change, seconds, 24) == [code, f"{code} is over"]


def test_sentence_says_what_to_do() -> None:
    """How far, where, by how much, since when, and what helps."""
    texts = {}
    for change in (pushed, smeared, dimmed):
        vigil = Vigil(table=RIG.table(), rest=rest("wood"))
        for second in range(70):
            for news in vigil.look(Frame(changed(change, "wood", 0), second * 1_000_000_000, second)):
                assert isinstance(news, Ails)
                texts[change.__name__] = news.text
    assert "the camera has moved: the table is 1" in texts["pushed"]
    assert "mm from where it was when it was calibrated; push the camera back" in texts["pushed"]
    assert "less sharp in its left" in texts["smeared"]
    assert "wipe the lens" in texts["smeared"]
    assert "the table is 4" in texts["dimmed"]
    assert "% darker than when it was calibrated: switch the lamp on" in texts["dimmed"]


def texts_of(*lasting: tuple[Callable[[int], Bgr], int]) -> list[str]:
    """The sentences told of some pictures, each for so many seconds, "" where a fault is withdrawn."""
    vigil, second, texts = Vigil(table=RIG.table(), rest=rest("felt")), 0, list[str]()
    for picture, seconds in lasting:
        for _ in range(seconds):
            told_now = vigil.look(Frame(picture(second), second * 1_000_000_000, second))
            texts += [one.text if isinstance(one, Ails) else "" for one in told_now]
            second += 1
    return texts


def test_sentence_says_how_it_is_now() -> None:
    """A camera that goes on moving, a room that grows darker still: told again, with today's number, once it lasts."""
    still = stills("felt")[0]

    @cache
    def moved(by_px: int) -> Bgr:
        return np.ascontiguousarray(np.roll(still, by_px, 1))

    @cache
    def dark(share: float) -> Bgr:
        return scaled(still, share)

    mm = [int(text.split(" mm")[0].split()[-1]) for text in texts_of((lambda _: moved(8), 9), (lambda _: moved(14), 9))]
    assert mm == [pytest.approx(8 / RIG.px_per_mm, abs=1), pytest.approx(14 / RIG.px_per_mm, abs=1)]
    darker, much_darker = texts_of((lambda _: dark(0.62), 63), (lambda _: dark(0.5), 9))
    assert "the table is 36 % darker" in darker
    assert "the table is 48 % darker" in much_darker
    # What only trembles about what was told, or is over in a moment, is not told again; nor is the same sentence.
    assert len(texts_of((lambda n: moved(8 + n % 2), 30), (lambda _: moved(14), 3), (lambda _: moved(8), 9))) == 1
    assert len(texts_of((lambda n: banded(still, n), 30), (lambda n: banded(banded(still, n), n), 20))) == 1


def test_camera_turned_to_another_place_is_told_in_the_end() -> None:
    """With nothing where it was nobody knows at first: somebody may lean over. After three minutes it is told."""

    def away(bgr: Bgr, second: int) -> Bgr:
        return np.ascontiguousarray(np.roll(bgr, (150, 260), (0, 1)))

    assert told("wood", away, 170) == []
    assert told("wood", away, 200, 20) == ["camera_moved", "camera_moved is over"]


def test_what_does_not_last_is_not_told() -> None:
    """A cloud, a lamp switched off and on, a camera that was only touched."""
    assert told("felt", dimmed, 50, 30) == []
    assert told("felt", unfocused, 15, 30) == []
    assert told("felt", pushed, 3, 30) == []
    assert told("wood", lambda bgr, second: scaled(bgr, 0.0), 30, 5) == []


@pytest.mark.parametrize("name", LOOKS)
def test_play_is_no_fault(name: str) -> None:
    """Arms from every side, a line that grows, a sheet of paper laid on the table: none is a fault of the camera."""
    table, rng = backdrop(name), np.random.default_rng(2)
    layout = LineLayout(np.random.default_rng(3))
    moves = [(4, 6), (4, 4), (4, 1), (1, 1), (1, 0), (0, 5), (5, 5), (5, 2), (2, 3), (3, 3)]
    layout.first(6, 6)
    vigil = Vigil(table=RIG.table(), rest=rest(name))
    paper = Placed(scoresheet(rng, 2.0), 250.0, -250.0, 20.0)
    try:
        for second in range(100):
            if second % 9 == 0 and moves:
                table.lay(layout.lying)
                move = moves.pop(0)
                layout.add("R", *move) if second else layout.add("R", 6, 4)
            seats = rng.choice(4, rng.integers(0, 4), replace=False)
            arms = [Reaching(int(seat), *rng.uniform(-220, 220, 2)) for seat in seats]
            bgr = table.picture(arms, [paper] if second > 50 else ()).bgr
            assert vigil.look(Frame(bgr, second * 1_000_000_000, second)) == ()
    finally:
        table.lay(())


@pytest.mark.parametrize("name", LOOKS)
def test_somebody_who_leans_over_is_no_fault(name: str) -> None:
    """Head and shoulders over half of the table for more than a minute, with their shadow, never quite still."""

    @cache
    def cover(step: int) -> tuple[Bgr, NDArray[np.float32]]:
        middle = (640 + 7 * step, 790)
        body, shade = np.zeros((720, 1280, 3), np.uint8), np.zeros((720, 1280), np.float32)
        cv2.ellipse(body, middle, (480, 420), 0, 0, 360, (40, 50, 60), -1)
        cv2.ellipse(shade, middle, (600, 520), 0, 0, 360, 1.0, -1)
        light = 1 - 0.5 * np.asarray(cv2.GaussianBlur(shade, (0, 0), 25), np.float32)
        return body, np.repeat(light[..., None], 3, axis=2)

    def leaning(bgr: Bgr, second: int) -> Bgr:
        body, light = cover(abs(second % 8 - 4))
        return np.where(body > 0, body, cv2.multiply(bgr, light, dtype=cv2.CV_8U)).astype(np.uint8)

    assert told(name, leaning, 80, 20) == []


@pytest.mark.parametrize("name", LOOKS)
def test_light_that_comes_and_goes_by_a_third_is_no_fault(name: str) -> None:
    """Clouds: a third brighter and darker again within a minute and a half."""
    assert told(name, lambda bgr, second: scaled(bgr, 1 + 0.3 * np.sin(second / 15)), 100) == []


def test_uncalibrated_camera_is_compared_with_its_first_quiet_look() -> None:
    """Without a calibration a move is told all the same, in pixels, and the sentence says since when."""
    vigil = Vigil(table=None)
    rng = np.random.default_rng(1)
    news: list[Ails | Heals] = []
    for second in range(20):
        bgr = stills("wood")[second % 3]
        if second < 3:
            bgr = backdrop("wood").picture([Reaching(0, *rng.uniform(-150, 150, 2))]).bgr
        if second > 8:
            bgr = np.asarray(np.roll(pushed(bgr, second), (6, 12), (0, 1)), np.uint8)
        news += vigil.look(Frame(bgr, second * 1_000_000_000, second))
    assert [one.code for one in news] == ["camera_moved"]
    assert isinstance(news[0], Ails)
    assert "pixels from where it was at the start" in news[0].text


def test_only_one_look_a_second_is_taken() -> None:
    """Of fifteen frames a second all but one are left alone; one of another size tells nothing."""
    vigil = Vigil(table=RIG.table(), rest=rest("felt"))
    bgr = unfocused(stills("felt")[0], 0)
    news = [vigil.look(Frame(bgr, round(number * 1e9 / 15), number)) for number in range(15 * 19)]
    assert not any(news)
    small = np.asarray(cv2.resize(bgr, (640, 480)), np.uint8)
    assert not any(vigil.look(Frame(small, (100 + second) * 1_000_000_000, second)) for second in range(30))


def test_table_with_nothing_on_it_to_hold_on_to_tells_of_its_light() -> None:
    """A cloth of one colour that fills the picture has no landmarks: moves and sharpness are not told, light is."""
    rng = np.random.default_rng(3)
    plain = np.clip(rng.normal(100, 12, (720, 1280, 3)), 0, 255).astype(np.uint8)
    vigil = Vigil(table=None, rest=rest_of(plain, None))
    news = [vigil.look(Frame(scaled(plain, 0.5), second * 1_000_000_000, second)) for second in range(70)]
    assert [one.code for some in news for one in some] == ["exposure_drifts"]
