"""The parts of a reading that can be checked by hand: colours, light, weighing, JSON, annotated pictures."""

import numpy as np
import pytest

from companion.errors import BadInput
from vision.annotate import annotate
from vision.appearance import Shade, fit_shade
from vision.bareness import outline_step, stray_scores
from vision.colour import HUES_DEG, brightness_of_name, colours_of, hue_of_name, log_levels
from vision.geometry import Grid
from vision.light import fit_plane, terms
from vision.palette import named_palette
from vision.reader import nothing_seen
from vision.reading import BoardReading, Content
from vision.reading_json import rank_text, reading_json
from vision.sampling import STEPS, gap_centres_mm, patch_radii, shrink
from vision.weighing import probabilities, tally

GRID = Grid()


def seen(levels):
    return colours_of(np.log(np.asarray(levels, np.float32)))


def sure_reading(spheres):
    p = np.zeros((42, 6))
    p[:, Content.EMPTY] = 1
    for well, content in spheres.items():
        p[well] = np.eye(6)[content]
    return BoardReading(0.0, True, p, True)


def test_more_light_changes_brightness_only():
    change = seen([0.2, 0.3, 0.4]) - seen([0.1, 0.15, 0.2])
    assert change[0] == pytest.approx(np.log(2), abs=1e-5)
    assert np.allclose(change[1:], 0, atol=1e-5)


@pytest.mark.parametrize("kelvin", [2500, 4000, 9000])
def test_another_lamp_changes_warmth_but_hardly_tint(kelvin):
    metres = np.array([465e-9, 540e-9, 610e-9])

    def lamp(t):
        return metres**-5 / (np.exp(0.0143878 / (metres * t)) - 1)

    change = seen(lamp(kelvin) / lamp(6000))
    assert abs(change[2]) < 0.02 + 0.05 * abs(change[1])
    assert (change[1] > 0) == (kelvin < 6000)


def test_black_pixels_have_finite_colours():
    assert np.isfinite(colours_of(log_levels(np.zeros((2, 3), np.uint8)))).all()


def test_named_colours_point_where_such_paint_is():
    paints = {"red": (35, 25, 190), "green": (60, 130, 30), "blue": (180, 60, 30), "yellow": (20, 190, 220)}
    for name, bgr in paints.items():
        _, warmth, tint = colours_of(log_levels(np.array(bgr, np.uint8)))
        off = np.arctan2(tint, warmth) - hue_of_name(name)
        assert abs((off + np.pi) % (2 * np.pi) - np.pi) < np.deg2rad(30), name


@pytest.mark.parametrize("name", sorted(HUES_DEG))
def test_every_listed_colour_can_be_a_spheres(name):
    from vision.geometry import SphereColours

    assert named_palette(SphereColours(name.upper(), name))


def patches_with(change):
    """Brightness of bare patches with a little noise, and a change to the first."""
    patches = np.random.default_rng(5).normal(0, 0.02, (20, STEPS * STEPS)).astype(np.float32)
    patches[0] += np.asarray(change, np.float32).ravel()
    return patches


def test_a_sphere_hardly_brighter_than_the_board_has_an_outline_all_around():
    disc = patch_radii() < 1
    assert outline_step(patches_with(0.2 * disc))[0] == pytest.approx(0.2, abs=0.04)
    assert outline_step(patches_with(-0.2 * disc))[0] == pytest.approx(-0.2, abs=0.04)


def test_light_that_slopes_a_shadow_edge_and_a_well_s_own_ring_are_no_outline():
    across = np.tile(np.linspace(-0.5, 0.5, STEPS), (STEPS, 1))
    ring = 0.5 * (np.abs(patch_radii() - 0.6) < 0.07)
    for change in (across, 0.8 * (across > 0), ring):
        assert abs(outline_step(patches_with(change))[0]) < 0.04


def test_what_has_an_outline_and_could_be_a_white_sphere_is_not_taken_for_bare_board():
    patches, middles, bare = patches_with(0.15 * (patch_radii() < 1)), np.zeros((20, 3), np.float32), np.ones(20, bool)
    could_be = bare & (np.arange(20) == 0)
    as_white = stray_scores(middles, bare, Shade(0, 0.1), patches, (could_be, ~bare))
    assert as_white[0] > as_white[1:].max() + 6
    as_none = stray_scores(middles, bare, Shade(0, 0.1), patches, (~bare, could_be))
    assert as_none[0] < as_white[0] - 4


def test_unknown_colours_are_refused():
    with pytest.raises(BadInput, match="mud"):
        hue_of_name("mud")
    with pytest.raises(BadInput, match="mud"):
        brightness_of_name("mud")


def test_light_is_judged_by_what_is_lit_though_a_third_lies_in_shadow():
    places = gap_centres_mm(GRID)
    true = np.array([[-1.0, 0.3, 0.02], [0.4, 0.1, 0.0], [-0.2, 0.0, 0.0]], np.float32)
    colours = terms(places) @ true
    colours[places[:, 0] > 60] -= [1.2, 0.3, 0.0]
    assert np.allclose(terms(places) @ fit_plane(places, colours), terms(places) @ true, atol=0.15)


def test_the_light_of_shadows_is_told_from_the_shaded_board():
    rng = np.random.default_rng(1)
    depth = np.where(rng.random(600) < 0.4, -rng.random(600) * 1.5, 0.0)
    off = np.stack([depth, 0.5 * depth + rng.normal(0, 0.02, 600), rng.normal(0, 0.01, 600)], axis=1)
    assert fit_shade(off.astype(np.float32)).slope == pytest.approx(0.5, abs=0.05)
    assert fit_shade(np.zeros((600, 3), np.float32)) == Shade(0.0, 0.1)


def test_a_disc_that_nothing_explains_is_hidden():
    foreign = np.full((5, 1, 50), -20.0, np.float32)
    p = probabilities(tally(foreign, foreign, foreign[0], np.zeros((5, 1))), np.ones((5, 1)))
    assert p[0].argmax() == Content.HIDDEN


def test_a_disc_is_read_if_one_content_explains_it_well():
    scores = np.full((5, 1, 50), -20.0, np.float32)
    scores[Content.BLACK] = 2.0
    rims = np.full((5, 1, 50), -20.0, np.float32)
    rims[Content.EMPTY] = 3.0
    p = probabilities(tally(scores, rims, rims[Content.EMPTY], np.zeros((5, 1))), np.ones((5, 1)))
    assert p[0, Content.BLACK] > 0.99


def test_of_two_wells_with_the_same_coloured_sphere_the_worse_match_is_hidden():
    scores = np.full((5, 2, 50), -20.0, np.float32)
    scores[Content.WHITE_COLOURED] = [[2.0], [1.0]]
    rims = np.full((5, 2, 50), -20.0, np.float32)
    rims[Content.EMPTY] = 3.0
    p = probabilities(tally(scores, rims, rims[Content.EMPTY], np.zeros((5, 2))), np.ones((5, 2)))
    assert list(p.argmax(axis=1)) == [Content.WHITE_COLOURED, Content.HIDDEN]


def test_halving_keeps_means_and_drops_an_odd_edge():
    image = np.arange(5 * 7 * 3, dtype=np.uint8).reshape(5, 7, 3)
    small = shrink(image, 1)
    assert small.shape == (2, 3, 3)
    assert abs(float(small[0, 0, 0]) - image[:2, :2, 0].mean()) <= 0.5


def test_json_has_the_agreed_shape_and_a_position_text():
    spheres = {3: Content.WHITE_COLOURED, 0: Content.WHITE, 38: Content.BLACK_COLOURED, 41: Content.BLACK}
    entry = reading_json("a.jpg", sure_reading(spheres), GRID)
    assert list(entry) == ["image", "board_found", "wells", "position", "confident", "why"]
    assert entry["position"] == "3B2b/7/7/7/7/w2W3"
    assert entry["wells"]["d1"]["is"] == "white_coloured"
    assert list(entry["wells"]["a1"]["p"]) == [
        "empty",
        "white",
        "black",
        "white_coloured",
        "black_coloured",
        "hidden",
    ]


def test_no_position_text_while_a_well_is_hidden_or_uncertain():
    assert rank_text(sure_reading({5: Content.HIDDEN}), GRID) is None
    doubtful = sure_reading({})
    doubtful.p[7] = [0.9, 0.1, 0, 0, 0, 0]
    assert rank_text(doubtful, GRID) is None
    assert rank_text(nothing_seen(GRID, 0.0, "too few markers"), GRID) is None


def test_annotating_draws_into_a_copy(table, draw_board):
    pose = table.pose()
    picture = draw_board(table, {"c3": "w"}, pose)
    before = picture.copy()
    drawn = annotate(picture, sure_reading({16: Content.WHITE, 20: Content.HIDDEN}), GRID, pose)
    assert np.array_equal(picture, before)
    assert drawn.shape == picture.shape
    at = pose.project(np.array([(*GRID.centre_mm(20), 0.0)])).astype(int)[0]
    near = (slice(at[1] - 20, at[1] + 20), slice(at[0] - 20, at[0] + 20))
    assert not np.array_equal(drawn[near], before[near])


def test_annotating_without_a_pose_only_says_why(table):
    picture = np.full((100, 640, 3), 90, np.uint8)
    drawn = annotate(picture, nothing_seen(GRID, 0.0, "too few markers in sight"), GRID, None)
    assert np.array_equal(drawn[40:], picture[40:])
    assert not np.array_equal(drawn, picture)
