"""How a board that is not as it should be is put right: which spheres must be carried where."""

from collections.abc import Iterable, Mapping

from companion.simulator.hands import Carry
from companion.simulator.statics import SPHERE_LETTERS, Spheres

Letters = Mapping[int, str]
"""What stands in each occupied well, as letters of a position text."""


def is_right(standing: Spheres, wanted: Letters) -> bool:
    """Whether the spheres on the board show the wanted placement."""
    return {well: SPHERE_LETTERS[sphere] for well, sphere in standing.items()} == dict(wanted)


def ways_back(standing: Spheres, wanted: Letters, loose: Iterable[int]) -> list[Carry]:
    """What must be carried where so that the board is right again; `loose` are the spheres beside it.

    Spheres that belong nowhere are laid aside first. A wanted sphere is always astray on the board or beside it.
    """
    astray = {w: s for w, s in sorted(standing.items()) if SPHERE_LETTERS[s] != wanted.get(w)}
    beside = sorted(loose)
    into_free: list[Carry] = []
    into_cleared: list[Carry] = []
    for well, letter in sorted(wanted.items()):
        if well in standing and SPHERE_LETTERS[standing[well]] == letter:
            continue
        source = next((w for w, s in astray.items() if SPHERE_LETTERS[s] == letter), None)
        if source is not None:
            way = Carry(source, well, astray.pop(source))
        else:
            sphere = next(s for s in beside if SPHERE_LETTERS[s] == letter)
            beside.remove(sphere)
            way = Carry(None, well, sphere)
        (into_cleared if well in standing else into_free).append(way)
    cleared = [Carry(well, None, sphere, step="remove") for well, sphere in astray.items()]
    return [*cleared, *into_free, *into_cleared]
