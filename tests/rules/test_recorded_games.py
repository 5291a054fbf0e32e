"""The rules against whole games recorded at a table: positions, infringements and results."""

import json

from companion.rules import Move, Outcome, Position, Reason, Side, Termination, outcome, play, why_illegal


def rulings(shared):
    """Every recording's name and its rulings."""
    for path in sorted((shared / "data" / "recordings").glob("*/truth.jsonl")):
        yield path.parent.name, [json.loads(line) for line in path.read_text().splitlines() if line.strip()]


def test_every_move_of_every_recorded_game_gives_the_recorded_position(shared):
    played = 0
    for name, lines in rulings(shared):
        position = None
        for line in lines:
            if line["kind"] == "start":
                position = Position.parse(line["position"])
                assert position.text() == line["position"]
            elif line["kind"] == "move":
                assert position is not None
                assert position.side == line["player"], (name, line)
                position = play(position, Move.parse(line["move"]))
                assert position.text() == line["position"], (name, line)
                played += 1
    assert played > 50


def test_every_recorded_infringement_that_shows_in_the_wells_has_its_reason(shared):
    judged = 0
    for name, lines in rulings(shared):
        position = None
        for line in lines:
            if line["kind"] in ("start", "move", "restored"):
                position = Position.parse(line["position"])
            elif line["kind"] == "illegal" and line["reason"] != Reason.ROLLED:
                assert line["player"] == position.side
                assert why_illegal(position, Move.parse(line["move"]))[0] == line["reason"], (name, line)
                judged += 1
    assert judged >= 4


def test_every_recorded_game_that_ends_on_the_board_has_its_result(shared):
    ended = 0
    for name, lines in rulings(shared):
        position, results = None, []
        for line in lines:
            if line["kind"] in ("start", "move"):
                position = Position.parse(line["position"])
                results.append(outcome(position))
            elif line["kind"] == "game_over" and line["termination"] in ("capture", "no_move"):
                expected = Outcome(Side(line["winner"]), Termination(line["termination"]), line["points"])
                assert outcome(position) == expected, name
                ended += 1
        assert not any(results[:-1]), f"{name}: a game was over before its last move"
    assert ended >= 1
