"""The scoring board in a real Chromium, over a table of canned states."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import cv2
import numpy as np
import pytest

from companion.rules import Position, Reason, Termination, well_name
from companion.web import Server, WebSettings, create_app, serve
from tests.web.fake_table_view import FakeTable, scenes
from tests.web.kept_pages import KeptPages

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
try:
    from playwright.sync_api import Page, expect
except ImportError:
    CHROMIUM = None

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="needs a browser: apt install chromium, pip install -e '.[dev]'"),
]

JPEG = cv2.imencode(".jpg", np.full((48, 64), 128, np.uint8))[1].tobytes()
"""A grey picture."""
HINT = "Simulated table: tap a sphere, then a well, to move it by hand."
AFTER = "b2Bb1b/1b1b1b1/7/2w4/w2W1w1/1w3ww b c3 b5"


SETTINGS: dict[str, Any] = {"title": "Table 1", "simulated": True, "console": True}


@pytest.fixture(scope="module")
def served() -> Iterator[tuple[FakeTable, Server]]:
    table = FakeTable()
    server = serve(create_app(table, WebSettings(**SETTINGS)), port=0)
    yield table, server
    server.close()


@pytest.fixture
def table(served: tuple[FakeTable, Server]) -> FakeTable:
    served[0].begin_anew()
    return served[0]


@pytest.fixture
def server(served: tuple[FakeTable, Server], table: FakeTable) -> Server:
    """One for all tests that leave it alone, with nothing left of the test before."""
    return served[1]


@pytest.fixture
def start(table: FakeTable) -> Iterator[Callable[..., Server]]:
    """A server that may be closed, or served otherwise."""
    servers: list[Server] = []

    def run(port: int = 0, **settings: Any) -> Server:
        servers.append(serve(create_app(table, WebSettings(**{**SETTINGS, **settings})), port=port))
        return servers[-1]

    yield run
    for server in servers:
        server.close()


@pytest.fixture
def complaints() -> list[str]:
    """What the browser complains of: refused scripts or styles, errors, failed requests."""
    return []


@pytest.fixture
def watch(pages: "KeptPages", table: FakeTable, complaints: list[str]) -> Iterator[Callable[[Server], "Page"]]:
    with ExitStack() as kept:

        def run(server: Server) -> Page:
            opened = kept.enter_context(pages.opened(complaints, (1280, 800), reduced_motion="reduce"))
            opened.goto(server.url)
            expect(opened.locator("#link")).to_have_attribute("data-link", "live")
            return opened

        yield run


@pytest.fixture
def page(watch: Callable[[Server], "Page"], server: Server) -> "Page":
    return watch(server)


def sphere_on(page: "Page", well: str) -> Any:
    return page.locator(f"#board [data-well='{well}']")


def test_a_move_arrives_without_a_reload(page: "Page", table: FakeTable, complaints: list[str]) -> None:
    expect(page.locator("#ruling-text")).to_have_text("Black moves c6-b5")
    expect(page.locator("[data-side=white] .player-turn")).to_have_text("to move")
    expect(sphere_on(page, "d1")).to_have_count(1)
    table.move("white", "d1-d2", AFTER)
    expect(page.locator("#ruling-text")).to_have_text("White moves d1-d2")
    expect(page.locator("[data-side=black] .player-turn")).to_have_text("to move")
    expect(page.locator("[data-side=white] .player-turn")).to_have_text("")
    expect(sphere_on(page, "d1")).to_have_count(0)
    expect(sphere_on(page, "d2").locator(".letter")).to_have_text("W")
    expect(page.locator("#moves [aria-current]")).to_have_text("d1-d2")
    expect(page.locator("#announcer p")).to_have_text(["White moves d1-d2"])
    assert complaints == []


def test_rulings_that_come_together_are_all_read_out(page: "Page", table: FakeTable) -> None:
    with table._changed:
        table.rule("crash", player="black", step="lift")
        table.rule("game_over", winner="white", termination="crash", points=1)
    expect(page.locator("#announcer p")).to_have_text(
        ["Crash on lifting: Black tipped it", "Crash on lifting: White wins 1 point"]
    )
    expect(page.locator("#ruling-text")).to_have_text("Crash on lifting: White wins 1 point")


def test_an_illegal_move_shows_the_sphere_and_where_it_must_go_back(page: "Page", table: FakeTable) -> None:
    table.show("illegal")
    expect(page.locator("#ruling-text")).to_have_text("Illegal: Black moved f6-e4, too far. Put it back on f6.")
    expect(page.locator("#ruling-note")).to_have_text("The game waits until the position is right.")
    expect(sphere_on(page, "e4")).to_have_count(1)
    expect(page.locator("#board .arrow-back")).to_have_count(1)
    expect(page.get_by_role("img", name="The sphere on e4 must go back to f6.")).to_have_count(1)


def test_a_sphere_in_hand_is_shown_lifted(page: "Page", table: FakeTable) -> None:
    table.set_live(in_hand="d1", touching=True)
    expect(page.locator("#board .raised")).to_have_attribute("data-well", "d1")
    expect(page.locator("#ruling-note")).to_have_text("In hand: probably the sphere from d1.")
    table.set_live(in_hand=None, touching=False)
    expect(page.locator("#board .raised")).to_have_count(0)


def test_a_guess_about_the_hand_that_keeps_changing_is_not_shown(page: "Page") -> None:
    seen = page.evaluate(
        """async () => {
            const { Steady } = await import("/static/steady.js");
            const seen = [];
            const steady = new Steady(600, () => seen.push(steady.value));
            for (const well of ["c1", "b1", "a1"]) {
                steady.see(well);
                await new Promise((done) => setTimeout(done, 50));
            }
            seen.push(steady.value);
            await new Promise((done) => setTimeout(done, 1000));
            return [...seen, steady.see("b1"), steady.value];
        }"""
    )
    assert seen == [None, "a1", True, None]


def test_what_there_is_to_set_up_stays_while_hands_do_it(page: "Page", table: FakeTable) -> None:
    table.show("capture")
    table.set_live(touching=True, in_hand="a6")
    expect(page.locator("#board .raised")).to_have_attribute("data-well", "a6")
    expect(page.locator("#ruling-note")).to_have_text("Set up the spheres for the next game.")


def test_the_game_line_counts_moves_as_the_list_does(page: "Page", table: FakeTable) -> None:
    expect(page.locator("#game-line")).to_have_text("Game 3 · move 6")
    expect(page.locator("#moves tr:last-child th")).to_have_text("6")
    table.move("white", "d1-d2", AFTER)
    expect(page.locator("#game-line")).to_have_text("Game 3 · move 7")
    expect(page.locator("#moves tr:last-child th")).to_have_text("7")


def test_a_question_tells_the_players_how_the_game_goes_on(page: "Page", table: FakeTable) -> None:
    table.show("question")
    expect(page.locator("#ruling-text")).to_have_text("The referee is not sure: was it b1-b2 or b1-c2?")
    expect(page.locator("#ruling-note")).to_have_text(
        "Put the spheres as they should stand; the game goes on when the position is right."
    )
    for width, height in ((1280, 800), (390, 844), (1024, 600), (1920, 1080)):
        page.set_viewport_size({"width": width, "height": height})
        across, down = page.locator("#ruling-note").evaluate(
            "(note) => [note.scrollWidth - note.clientWidth, note.scrollHeight - note.clientHeight]"
        )
        assert (max(across, 0), max(down - 1, 0)) == (0, 0), f"the note is cut off at {width} by {height}"
    table.rule(
        "question",
        about="move",
        candidates=[
            {"move": "d1-d2 rolled", "p": 1.0},
            {"move": "d1-d2 c6-c5", "p": 0.2},
            {"move": "something_else", "p": 0.1},
        ],
    )
    expect(page.locator("#ruling-text")).to_have_text(
        "The referee is not sure: was it d1-d2, rolled, d1-d2 and then c6-c5 or something else?"
    )


CONTENTS = {"": "empty", "w": "white", "b": "black", "W": "white_coloured", "B": "black_coloured"}


def reading(placement: str, **changes: str) -> dict[str, str]:
    """What a camera sees of a placement, some wells otherwise."""
    position = Position.parse(f"{placement} w - -")
    return {**{well_name(well): CONTENTS[position.content(well)] for well in range(42)}, **changes}


def test_all_spheres_out_of_place_are_marked_and_counted(page: "Page", table: FakeTable) -> None:
    table.show("illegal")
    stands = scenes()["illegal"][0]["game"]["waiting"]["placement"]
    table.set_live(reading=reading(stands, a2="empty", a3="white", g1="hidden"))
    expect(page.locator("#ruling-note")).to_have_text("2 spheres are out of place; the game waits.")
    expect(page.locator("#board circle.wrong-ring:not(.casing)")).to_have_count(2)
    expect(page.locator("#board .ghost")).to_have_count(1)
    expect(sphere_on(page, "a3")).to_have_count(1)
    expect(sphere_on(page, "g1")).to_have_count(1)
    expect(page.locator("#board .arrow-back")).to_have_count(1)
    table.set_live(reading=reading(stands))
    expect(page.locator("#ruling-note")).to_have_text("The game waits until the position is right.")
    expect(page.locator("#board .ghost")).to_have_count(0)


@pytest.mark.parametrize(
    ("margin", "says"),
    [
        (3.25, "Stands · 3.3 mm to spare"),
        (0.4, "Near the edge · 0.4 mm to spare"),
        (-0.4, "Over the edge by 0.4 mm"),
        (None, "Not known yet"),
    ],
)
def test_the_margin_is_told_in_words_and_millimetres(
    page: "Page", table: FakeTable, margin: float | None, says: str
) -> None:
    table.set_live(margin_mm=margin, centre_mm=None if margin is None else 6 - margin)
    expect(page.locator("#margin")).to_have_text(says)


def test_names_stay_text_whatever_they_hold(page: "Page", table: FakeTable, complaints: list[str]) -> None:
    table.show("faults")
    expect(page.locator("#name-black")).to_have_text("<img src=x onerror=alert(1)>")
    expect(page.locator("img")).to_have_count(0)
    expect(page.locator("#witness-camera dd").first).to_have_text("no new picture for 12 s: check the camera's cable")
    assert complaints == []


def test_a_sphere_is_moved_with_the_keyboard_alone(page: "Page", table: FakeTable) -> None:
    page.locator("#hand [data-well=d1]").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="d1, White's coloured sphere")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("ArrowUp")
    expect(page.get_by_role("button", name="d2, empty")).to_be_focused()
    page.keyboard.press("Space")
    expect(page.locator("#demo-line")).to_have_text("You asked for d1-d2.")
    assert table.asked == [{"do": "hand_move", "from": "d1", "to": "d2"}]


def test_escape_and_a_second_tap_leave_the_sphere_alone(page: "Page", table: FakeTable) -> None:
    well = page.locator("#hand [data-well=d1]")
    well.click()
    page.keyboard.press("Escape")
    expect(well).to_have_attribute("aria-pressed", "false")
    well.click()
    well.click()
    expect(well).to_have_attribute("aria-pressed", "false")
    assert table.asked == []


def test_leaning_and_knocking_are_sent(page: "Page", table: FakeTable) -> None:
    page.get_by_role("button", name="Lean on the board").click()
    expect(page.locator("#demo-line")).to_have_text("You asked for a hand to lean on the board.")
    page.get_by_role("button", name="Knock the table").click()
    expect(page.locator("#demo-line")).to_have_text("You asked for a knock on the table.")
    assert table.asked == [{"do": "lean"}, {"do": "bump"}]


def test_what_was_asked_for_is_said_until_the_next_ruling_or_for_a_while(page: "Page", table: FakeTable) -> None:
    line = page.locator("#demo-line")
    page.get_by_role("button", name="Knock the table").click()
    expect(line).to_have_text("You asked for a knock on the table.")
    table.rule("held", player="white")
    expect(line).to_have_text(HINT, timeout=2_000)
    page.get_by_role("button", name="Knock the table").click()
    expect(line).to_have_text("You asked for a knock on the table.")
    expect(line).to_have_text(HINT, timeout=10_000)


def test_a_table_that_does_not_answer_is_told_in_plain_words_until_it_does(
    watch: Callable[[Server], "Page"], start: Callable[..., Server]
) -> None:
    server = start()
    page = watch(server)
    server.close()
    page.get_by_role("button", name="Knock the table").click()
    expect(page.locator("#demo-line")).to_have_text("The table did not answer; try again.", timeout=10_000)
    start(port=server.port)
    expect(page.locator("#demo-line")).to_have_text(HINT, timeout=15_000)


def test_who_plays_a_side_by_hand_can_let_the_players_play_on(page: "Page", table: FakeTable) -> None:
    line, button = page.locator("#demo-line"), page.get_by_role("button", name="Let them play on")
    expect(button).to_have_count(0)
    before = page.locator("#board").bounding_box(), page.locator(".demo").bounding_box()
    table.set_live(by_hand="white")
    expect(line).to_have_text("You play White. Tap a sphere, then a well.")
    button.focus()
    page.keyboard.press("Enter")
    expect(line).to_have_text("You asked them to play on.")
    assert table.asked == [{"do": "let_play"}]
    assert (page.locator("#board").bounding_box(), page.locator(".demo").bounding_box()) == before
    table.set_live(by_hand=None)
    expect(button).to_have_count(0)
    expect(page.locator("#hand button:focus")).to_have_count(1)


def test_the_camera_picture_is_shown_on_demand_and_renewed(
    page: "Page", table: FakeTable, complaints: list[str]
) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "picture" in request.url else None)
    table.jpeg = JPEG
    board = page.locator("#board").bounding_box()
    page.get_by_role("button", name="What the camera sees").click()
    expect(page.get_by_role("img", name="The board as the camera sees it now")).to_be_visible()
    page.wait_for_timeout(1_500)
    assert len(set(asked)) >= 2
    assert page.locator("#board").bounding_box() == board
    page.keyboard.press("Escape")
    expect(page.locator("#camera-view")).to_be_hidden()
    expect(page.get_by_role("button", name="What the camera sees")).to_be_focused()
    expect(page.locator("img")).to_have_count(0)
    assert complaints == []


def test_a_restart_of_the_server_is_shown_and_nothing_is_missed(
    watch: Callable[[Server], "Page"], table: FakeTable, start: Callable[..., Server]
) -> None:
    server = start()
    page = watch(server)
    page.evaluate("document.body.dataset.kept = 'the same page'")
    server.close()
    expect(page.locator("#stale")).to_contain_text("Connection lost", timeout=15_000)
    table.rule("held", player="black")
    table.move("white", "d1-d2", AFTER)
    start(port=server.port)
    expect(page.locator("#ruling-text")).to_have_text("White moves d1-d2", timeout=15_000)
    expect(page.locator("#stale")).to_be_hidden()
    expect(page.locator("#announcer p")).to_have_text(["Black holds the board", "White moves d1-d2"])
    table.rule("held", player="white")
    expect(page.locator("#ruling-text")).to_have_text("White holds the board")
    expect(page.locator("body")).to_have_attribute("data-kept", "the same page")


def test_without_a_free_stream_the_page_polls(
    pages: "KeptPages", table: FakeTable, start: Callable[..., Server]
) -> None:
    url = start(max_streams=0).url
    with pages.opened() as page:
        page.goto(url)
        expect(page.locator("#link")).to_have_attribute("data-link", "polling")
        table.rule("held", player="white")
        expect(page.locator("#ruling-text")).to_have_text("White holds the board")


def test_a_silent_table_is_told_from_a_lost_connection(
    page: "Page", table: FakeTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    expect(page.locator("#stale")).to_contain_text("The table is silent", timeout=15_000)
    table.set_live(margin_mm=2.0)
    expect(page.locator("#stale")).to_be_hidden()


@pytest.mark.parametrize(
    ("size", "scheme"),
    [
        ((320, 640), "light"),
        ((390, 844), "dark"),
        ((844, 390), "light"),
        ((1024, 600), "light"),
        ((1280, 800), "dark"),
        ((1920, 1080), "light"),
        ((3840, 2160), "dark"),
    ],
)
def test_every_scene_fits_the_screen(
    pages: "KeptPages", server: Server, table: FakeTable, size: tuple[int, int], scheme: Any
) -> None:
    width, height = size
    with pages.opened(size=size, color_scheme=scheme, reduced_motion="reduce") as page:
        page.goto(server.url)
        for scene, (state, _) in scenes().items():
            table.show(scene)
            expect(page.locator("#ruling")).to_have_attribute(
                "data-kind", (state["last_ruling"] or {"kind": "none"})["kind"]
            )
            expect(page.locator("#moves tr")).to_have_count((len((state["game"] or {"moves": []})["moves"]) + 1) // 2)
            across, down, cut = page.evaluate(
                """() => {
                    const [all, box, text] = ["html", "#ruling", "#ruling-text"].map((n) => document.querySelector(n));
                    return [all.scrollWidth, all.scrollHeight, text.scrollHeight - box.clientHeight];
                }"""
            )
            assert across <= width, f"{scene} is {across} wide"
            assert cut <= 0, f"the ruling of {scene} is cut off"
            if width >= 1000:
                assert down <= height, f"{scene} is {down} high"


def test_a_small_screen_shows_several_moves(pages: "KeptPages", server: Server) -> None:
    with pages.opened(size=(1024, 600)) as page:
        page.goto(server.url)
        expect(page.locator("#moves tr")).to_have_count(6)
        list_height, row_height = page.evaluate(
            """() => ["#moves-scroll", "#moves tr"].map(
                (n) => document.querySelector(n).getBoundingClientRect().height
            )"""
        )
        assert list_height >= 3 * row_height


@pytest.mark.parametrize("size", [(1920, 1080), (3840, 2160)])
def test_a_wall_screen_is_read_from_two_metres(pages: "KeptPages", server: Server, size: tuple[int, int]) -> None:
    with pages.opened(size=size) as page:
        page.goto(server.url)
        for name in (".witness dt", "#ruling-note", "#demo-line", "#game-line"):
            letters = page.locator(name).first.evaluate("(e) => parseFloat(getComputedStyle(e).fontSize)")
            assert letters >= size[1] / 45, name


def test_every_ruling_and_reason_has_words_of_its_own(page: "Page") -> None:
    rulings = [
        *({"kind": kind} for kind in ("none", "start", "restored", "correct")),
        {"kind": "move", "player": "white", "move": "d1-d2"},
        {"kind": "move", "player": "white", "move": "c5xd6"},
        {"kind": "held", "player": "white"},
        *({"kind": "crash", "player": "white", "step": step} for step in ("lift", "place", "remove")),
        {"kind": "question", "about": "move", "candidates": [{"move": "d1-d2", "p": 0.5}]},
        {"kind": "question", "about": "crash", "candidates": []},
        *({"kind": "illegal", "player": "black", "move": "f6-e4", "reason": str(reason)} for reason in Reason),
        *(
            {
                "kind": "game_over",
                "winner": None if end is Termination.VOID else "white",
                "termination": str(end),
                "points": 1,
            }
            for end in Termination
        ),
    ]
    said = page.evaluate(
        """async (rulings) => {
            const { rulingWords } = await import("/static/words.js");
            return rulings.map((ruling) => rulingWords(ruling));
        }""",
        rulings,
    )
    assert len(set(said)) == len(rulings)
    assert not [text for text in said if "undefined" in text or "null" in text or "_" in text]
    assert "Illegal: Black moved f6-e4, too far. Put it back on f6." in said


def test_one_tap_answers_a_question(watch: Callable[[Server], "Page"], server: Server, table: FakeTable) -> None:
    table.show("question")
    page = watch(server)
    buttons = page.locator("#console button")
    expect(buttons).to_have_text(["b1-b2", "b1-c2"])
    expect(page.locator("#hand-buttons")).to_be_hidden()
    with page.expect_response(lambda answer: answer.url.endswith("/api/v1/console") and answer.ok):
        buttons.nth(1).click()
    assert table.asked == [{"do": "answer", "question": 20, "move": "b1-c2"}]
    table.show("play")
    expect(page.locator("#console")).to_be_hidden()
    expect(page.locator("#hand-buttons")).to_be_visible()


def test_an_illegal_move_is_let_stand_or_the_game_awarded(
    watch: Callable[[Server], "Page"], server: Server, table: FakeTable
) -> None:
    table.show("illegal")
    page = watch(server)
    expect(page.locator("#console button")).to_have_text(["Let it stand", "Award to White"])
    for name in ("Let it stand", "Award to White"):
        with page.expect_response(lambda answer: answer.url.endswith("/api/v1/console") and answer.ok):
            page.get_by_role("button", name=name).click()
    assert table.asked == [{"do": "let_stand"}, {"do": "award", "winner": "white"}]


def test_every_sphere_out_of_place_is_named_with_its_way_back(page: "Page", table: FakeTable) -> None:
    table.show("illegal")
    stands = scenes()["illegal"][0]["game"]["waiting"]["placement"]
    ways = [
        {"sphere": "b", "at": "e4", "to": "f6"},
        {"sphere": "w", "at": "a3", "to": "a2"},
        {"sphere": "W", "at": None, "to": "d1"},
    ]
    table.set_live(reading=reading(stands, a2="empty", a3="white", d1="empty"), misplaced=ways)
    expect(page.locator("#ruling-note")).to_have_text(
        "Put e4 to f6, a3 to a2, White's coloured sphere from beside the board to d1; the game waits."
    )
