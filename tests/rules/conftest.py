"""What `st.from_type(Position)` gives in the tests of the rules."""

from hypothesis import strategies as st

from companion.rules import Position, Side


@st.composite
def positions(draw):
    """Any position, of a running or a finished game; half of them crowded into three ranks so that spheres meet."""
    letters = list("WB" + "w" * draw(st.integers(0, 6)) + "b" * draw(st.integers(0, 6)))
    if draw(st.integers(0, 9)) == 0:
        letters.remove(draw(st.sampled_from("WB")))
    first = draw(st.integers(0, 21))
    wells = draw(st.permutations(range(first, first + 21) if draw(st.booleans()) else range(42)))
    placement = dict(zip(wells, letters, strict=False))
    resting = []
    for plain in "wb":
        candidates = [0, *(1 << well for well, letter in placement.items() if letter == plain)]
        resting.append(draw(st.sampled_from(candidates)))
    return Position.from_placement(placement, draw(st.sampled_from(Side)), *resting)


st.register_type_strategy(Position, positions())
