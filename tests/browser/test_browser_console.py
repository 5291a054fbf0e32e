"""The referee's console in a real Chromium: each job by mouse, by touch and by the keyboard alone."""

from collections.abc import Callable
from typing import Any

import cv2
import numpy as np
import pytest

from companion.referee import by_hand
from companion.referee.state import Setup, begin
from companion.rules import MatchRules, Position
from companion.table.evidence_case import Case
from tests.web.fake_table_view import MIDDLE, START, FakeTable

try:
    from playwright.sync_api import Page, expect
except ImportError:
    pytest.skip("needs playwright: pip install -e '.[dev]'", allow_module_level=True)

pytestmark = pytest.mark.browser

JPEG = cv2.imencode(".jpg", np.full((48, 64), 128, np.uint8))[1].tobytes()
LETTERS = {"w": "white", "b": "black", "W": "white_coloured", "B": "black_coloured"}


def case(seq: int) -> Case:
    about = {
        "event": {"seq": seq, "time": 1.0, "kind": "move", "origin": "both", "payload": {}, "digest": "0" * 64},
        "says": "White moved <b>b1-b2</b>",
        "rule": "Never backward.",
        "position_before": MIDDLE,
        "since_s": 2.0,
        "until_s": 4.0,
        "pictures": {"before.jpg": {"t_s": 1.0}, "after.jpg": {"t_s": 4.0}},
        "hypotheses": [{"says": "b1-b2", "meaning": "move", "player": "white", "reason": None, "p": 0.6}],
        "load_events": [],
        "calibration": {name: {"offset_counts": 0, "counts_per_gram": 100.0} for name in ("low", "high")},
    }
    rows = "".join(f"{t},{50000 + t},25000\n" for t in range(5))
    load = f"t_s,low_counts,high_counts\n{rows}".encode()
    return Case(about, {"before.jpg": JPEG, "after.jpg": JPEG, "load.csv": load})


def reading(placement: str) -> dict[str, str]:
    wells: dict[str, str] = {}
    for row, ranks in enumerate(placement.split("/")):
        spread = "".join("." * int(sign) if sign.isdigit() else sign for sign in ranks)
        wells |= {f"{'abcdefg'[file]}{6 - row}": LETTERS.get(sign, "empty") for file, sign in enumerate(spread)}
    return wells


@pytest.fixture
def console(open_page: Callable[..., "Page"]) -> Callable[..., "Page"]:
    def run(**options: Any) -> "Page":
        page = open_page("/console", paired=True, **options)
        expect(page.get_by_role("button", name="Set the position")).to_be_enabled()  # not before the game is known
        return page

    return run


def asked(table: FakeTable, page: "Page", act: Callable[[], Any]) -> dict[str, Any]:
    """The command that the table gets when something is done on the page."""
    with page.expect_response(lambda answer: answer.url.endswith("/api/v1/console")):
        act()
    return table.asked[-1]


def middle(page: "Page", well: str) -> tuple[float, float]:
    box = page.locator(f"#wells [data-well={well}]").bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page: "Page", well: str, to: tuple[float, float]) -> None:
    page.mouse.move(*middle(page, well))
    page.mouse.down()
    page.mouse.move(*to, steps=5)
    page.mouse.up()


def test_a_question_is_answered_with_one_tap_beside_its_pictures(
    console: Callable[..., "Page"], table: FakeTable, complaints: list[str]
) -> None:
    table.show("question")
    table.cases[20] = case(20)
    table.on_desk["evidence"] = [20]
    page = console(has_touch=True, size=(390, 844))
    expect(page.locator("#now-pictures img")).to_have_count(2)
    button = page.get_by_role("button", name="2: b1-c2")
    assert asked(table, page, button.tap) == {"do": "answer", "question": 20, "move": "b1-c2"}
    page.get_by_role("button", name="Evidence for: The referee is not sure").tap()
    expect(page.get_by_role("heading", name="White moved <b>b1-b2</b>")).to_be_visible()
    expect(page.locator("#evidence tbody")).to_contain_text("60.0 %")
    with page.expect_download() as download:
        page.get_by_role("link", name="Save all of it").tap()
    assert download.value.suggested_filename == "evidence-20.zip"
    page.keyboard.press("Escape")
    expect(page.locator("#evidence")).to_be_hidden()
    assert complaints == []


@pytest.mark.parametrize(
    ("about", "candidates", "buttons"),
    [
        (
            "crash",
            ["crash white", "crash black", "nothing"],
            ["1: White tipped it", "2: Black tipped it", "3: nobody tipped the board"],
        ),
        ("held", ["forfeit white", "nothing"], ["1: White forfeits", "2: nobody held the board"]),
        (
            "move",
            ["a6-a5 by White, not their sphere", "a6-a5 by Black, out of turn"],
            ["1: a6-a5 by White, not their sphere", "2: a6-a5 by Black, out of turn"],
        ),
    ],
)
def test_what_an_answer_says_fits_what_is_asked(
    console: Callable[..., "Page"], table: FakeTable, about: str, candidates: list[str], buttons: list[str]
) -> None:
    question = {"seq": 20, "about": about, "candidates": [{"move": move, "p": 0.3} for move in candidates]}
    asking = {"about": about, "candidates": question["candidates"]}
    table.rule("question", game={"waiting": {"for": "answer", "question": question}}, **asking)
    page = console(size=(390, 844))
    expect(page.locator("#now-buttons button")).to_have_text(buttons)
    cut = page.locator("#ruling-text").evaluate("(said) => said.scrollWidth - said.clientWidth")
    assert cut <= 0


def test_a_position_without_a_coloured_sphere_is_refused_in_words(
    console: Callable[..., "Page"], table: FakeTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(command: dict[str, Any]) -> dict[str, Any]:
        by_hand.set_position(Setup(), begin(MatchRules()), Position.parse(command["position"]), 1.0)
        return {"done": True}

    monkeypatch.setattr(table, "console", refuse)
    page = console()
    page.get_by_role("button", name="Set the position").click()
    drag(page, "d1", (5.0, 5.0))
    page.get_by_role("button", name="Set this position").click()
    line = "White's coloured sphere is missing: set the position with it, or award the game instead"
    expect(page.locator("#board-line")).to_have_text(f"Not done: {line}")
    expect(page.locator("#said")).to_have_text(f"Not done: {line}")


def test_a_position_is_set_by_dragging(console: Callable[..., "Page"], table: FakeTable, complaints: list[str]) -> None:
    page = console()
    page.get_by_role("button", name="Set the position").click()
    drag(page, "c3", middle(page, "c4"))
    drag(page, "a6", (5.0, 5.0))
    expect(page.get_by_role("button", name="black sphere beside the board")).to_have_count(1)
    page.get_by_label("To move").select_option("Black")
    command = asked(table, page, page.get_by_role("button", name="Set this position").click)
    assert command == {"do": "position", "position": "3Bb1b/1b1b1b1/2w4/7/w4w1/1w1W1ww b - b5"}
    expect(page.locator("#wells")).to_be_hidden()
    assert complaints == []


def test_a_position_is_set_with_the_keyboard_alone(console: Callable[..., "Page"], table: FakeTable) -> None:
    page = console()
    page.get_by_role("button", name="Set the position").press("Enter")
    page.locator("#wells [data-well=d1]").focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    page.keyboard.press("Delete")
    page.get_by_role("button", name="white sphere beside the board").first.press("Enter")
    page.locator("#wells [data-well=b3]").press("Enter")
    command = asked(table, page, lambda: page.get_by_role("button", name="Set this position").press("Enter"))
    assert command["position"] == "b2Bb1b/1b1b1b1/7/1ww4/w4w1/3W1ww w c3 b5"


def test_a_position_is_taken_from_the_camera_and_back_from_the_game(
    console: Callable[..., "Page"], table: FakeTable
) -> None:
    table.set_live(reading=reading(START.split()[0]))
    page = console()
    expect(page.locator("#board [data-well]")).not_to_have_count(0)
    page.get_by_role("button", name="Set the position").click()
    expect(page.locator("#board [data-well=a1]")).to_have_count(0)
    page.get_by_role("button", name="As the camera sees it").click()
    expect(page.locator("#board [data-well=a1]")).to_have_count(1)
    page.get_by_role("button", name="As the game has it").click()
    expect(page.locator("#board [data-well=a1]")).to_have_count(0)


def test_a_move_is_entered_by_touch(console: Callable[..., "Page"], table: FakeTable) -> None:
    page = console(has_touch=True)
    page.get_by_role("button", name="Enter a move").tap()
    page.locator("#wells [data-well=d1]").tap()
    command = asked(table, page, page.locator("#wells [data-well=d2]").tap)
    assert command == {"do": "move", "move": "d1-d2"}


def test_undo_and_redo_name_what_they_take_back(console: Callable[..., "Page"], table: FakeTable) -> None:
    end = "White's move c5xd6 and the end of game 3: White wins by capture"
    table.show("capture")
    table.shown |= {"can_undo": {"seq": 19, "says": end}, "can_redo": {"seq": 18, "says": "Black's move d6-d5"}}
    page = console()
    undo, redo = (page.get_by_role("button", name=name) for name in (f"Take back {end}", "Put back Black's move d6-d5"))
    assert asked(table, page, undo.click) == {"do": "undo", "seq": 19}
    assert asked(table, page, redo.click) == {"do": "redo", "seq": 18}


def test_a_game_is_ended_at_the_second_tap_only(console: Callable[..., "Page"], table: FakeTable) -> None:
    page = console()
    page.get_by_text("End the game").click()
    page.get_by_role("button", name="White resigns").click()
    expect(page.get_by_role("button", name="Sure? White resigns")).to_be_visible()
    assert table.asked == []
    command = asked(table, page, page.get_by_role("button", name="Sure? White resigns").click)
    assert command == {"do": "resign", "player": "white"}
    page.get_by_role("button", name="Void: nobody wins").click()
    page.get_by_role("button", name="Black forfeits").focus()
    expect(page.get_by_role("button", name="Void: nobody wins")).to_be_visible()
    assert len(table.asked) == 1


def test_a_game_starts_when_the_start_position_stands_or_all_the_same(
    console: Callable[..., "Page"], table: FakeTable
) -> None:
    table.show("capture")
    table.on_desk["out_of_start"] = [{"sphere": "w", "at": None, "to": "a1"}]
    page = console()
    expect(page.locator("#now-wrong")).to_have_text("the plain white sphere beside the board: to a1")
    command = asked(table, page, page.get_by_role("button", name="Start all the same").click)
    assert command == {"do": "start", "anyway": True}
    table.on_desk["out_of_start"] = []
    expect(page.locator("#now-line")).to_contain_text("The start position stands.")
    command = asked(table, page, page.get_by_role("button", name="Start the game").click)
    assert command == {"do": "start", "anyway": False}


def test_names_settings_and_pauses_are_sent(console: Callable[..., "Page"], table: FakeTable) -> None:
    page = console()
    page.get_by_text("Players and match").click()
    page.get_by_label("White", exact=True).fill("<img src=x onerror=alert(1)>")
    command = asked(table, page, page.get_by_role("button", name="Change the names").click)
    assert command == {"do": "names", "white": "<img src=x onerror=alert(1)>", "black": "Bo"}
    page.get_by_text("Settings in force").click()
    page.get_by_label("Track, steps").fill("5")
    page.get_by_label("Board held").select_option("are asked first")
    command = asked(table, page, page.get_by_role("button", name="Put in force").click)
    assert command == {"do": "settings", "rules": {"track_steps": 5}, "policy": {"held": "ask"}}
    assert asked(table, page, page.get_by_role("button", name="Pause").click) == {"do": "pause"}
    table.shown |= {"paused_since": 1.0}
    table.rule("held", player="white")
    expect(page.locator("#now-line")).to_contain_text("paused")
    assert asked(table, page, page.get_by_role("button", name="Resume").click) == {"do": "resume"}


def test_the_drawn_picture_and_the_traces_are_renewed_while_they_are_open(
    console: Callable[..., "Page"], table: FakeTable
) -> None:
    table.jpeg = JPEG
    page = console()
    pictures: list[str] = []
    page.on("request", lambda request: pictures.append(request.url) if "picture.jpg?drawn" in request.url else None)
    assert pictures == []
    page.get_by_text("Camera and loads").click()
    expect(page.get_by_role("img", name="The board as the camera sees it now")).to_be_visible()
    expect(page.get_by_role("img", name="Loads over 30 s: low now 530 g, high now 260 g")).to_be_visible()
    assert pictures


def test_a_device_that_was_sent_away_is_shown_the_pairing_page(
    console: Callable[..., "Page"], table: FakeTable
) -> None:
    page = console()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    page.context.clear_cookies()
    table.rule("held", player="white")
    page.wait_for_url("**/pair")


def by_mouse(page: "Page", button: Any) -> None:
    button.click()


def by_touch(page: "Page", button: Any) -> None:
    button.tap()


def by_keyboard(page: "Page", button: Any) -> None:
    button.focus()
    page.keyboard.press("Enter")


@pytest.mark.parametrize("means", [by_mouse, by_touch, by_keyboard])
def test_every_button_works_by_mouse_by_touch_and_by_keyboard(
    console: Callable[..., "Page"], table: FakeTable, means: Callable[..., None]
) -> None:
    table.show("question")
    table.shown |= {"can_undo": {"seq": 19, "says": "White's move"}, "can_redo": {"seq": 18, "says": "Black's move"}}
    page = console(has_touch=True)
    use = lambda name: means(page, page.get_by_role("button", name=name))  # noqa: E731
    assert asked(table, page, lambda: use("1: b1-b2"))["move"] == "b1-b2"
    assert asked(table, page, lambda: use("Take back White's move")) == {"do": "undo", "seq": 19}
    assert asked(table, page, lambda: use("Put back Black's move")) == {"do": "redo", "seq": 18}
    assert asked(table, page, lambda: use("Pause")) == {"do": "pause"}
    means(page, page.locator("#ending summary"))
    use("Award to Black")
    command = asked(table, page, lambda: use("Sure? Award to Black"))
    assert command == {"do": "award", "winner": "black"}
    use("Enter a move")
    means(page, page.locator("#wells [data-well=d1]"))
    assert asked(table, page, lambda: means(page, page.locator("#wells [data-well=d2]")))["move"] == "d1-d2"


def test_a_sphere_is_dragged_with_a_finger(console: Callable[..., "Page"], table: FakeTable) -> None:
    page = console(has_touch=True, size=(390, 844))
    page.get_by_role("button", name="Set the position").tap()
    page.locator("#wells").scroll_into_view_if_needed()
    touch = page.context.new_cdp_session(page)
    (x, y), (to_x, to_y) = middle(page, "c3"), middle(page, "d4")
    path = [(x, y), ((x + to_x) / 2, (y + to_y) / 2), (to_x, to_y)]
    for kind, at in zip(("touchStart", "touchMove", "touchMove"), path, strict=True):
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": at[0], "y": at[1]}]})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    expect(page.locator("#board-line")).to_have_text("Moved c3 to d4.")
    expect(page.locator("#board [data-well=d4]")).to_have_count(1)
