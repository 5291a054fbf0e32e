"""How fast the rules count move sequences, against python-chess counting in the same way in the same run."""

from time import perf_counter

import chess

from companion.rules import Position, perft

TIMES_FASTER = 5
"""At least so many times the rate of python-chess: what bitboards on plain ints must be worth."""

CHESS_DEPTH, CHESS_SEQUENCES = 4, 197_281
OUR_DEPTH, OUR_SEQUENCES = 5, 1_933_155


def chess_perft(board, depth):
    """Bulk counting: at the last ply the legal moves are counted, not played."""
    if depth == 1:
        return board.legal_moves.count()
    sequences = 0
    for move in board.legal_moves:
        board.push(move)
        sequences += chess_perft(board, depth - 1)
        board.pop()
    return sequences


def test_bench_perft_against_python_chess(benchmark, capsys):
    # Both sides are timed by the same clock, the best of several runs, in turns, so that other load hits both alike.
    def seconds(count, *args):
        began = perf_counter()
        sequences = count(*args)
        return perf_counter() - began, sequences

    ours, theirs = [], []
    for _ in range(3):
        took, sequences = seconds(chess_perft, chess.Board(), CHESS_DEPTH)
        assert sequences == CHESS_SEQUENCES
        theirs.append(took)
        took, sequences = seconds(perft, Position.start(), OUR_DEPTH)
        assert sequences == OUR_SEQUENCES
        ours.append(took)
    our_rate, chess_rate = OUR_SEQUENCES / min(ours), CHESS_SEQUENCES / min(theirs)
    ratio = our_rate / chess_rate
    with capsys.disabled():
        print(
            f"\nperft, moves counted a second: ours {our_rate:,.0f}, python-chess {chess_rate:,.0f}, ratio {ratio:.1f}"
        )
    benchmark.pedantic(perft, args=(Position.start(), OUR_DEPTH), rounds=3)
    assert ratio >= TIMES_FASTER, (
        f"perft counts {our_rate:,.0f} moves a second, only {ratio:.1f} times python-chess's {chess_rate:,.0f}; "
        f"it must be {TIMES_FASTER} times as fast"
    )
