"""What a simulated table costs: a picture with a hand in it, and a second of samples."""

from itertools import islice

from companion.rules import Side
from companion.simulator.picture import camera_for
from companion.simulator.settings import simulated_settings
from companion.simulator.statics import START_SPHERES
from companion.simulator.table import SimulatedTable
from companion.simulator.world import HandView, LooseSphere, Scene


def test_bench_a_picture_with_a_hand(benchmark):
    camera = camera_for(simulated_settings(0), 1.0, 0)
    hand = HandView(Side.WHITE, 10.0, 40.0, 45.0, flat=False)
    scene = Scene(tuple(sorted(START_SPHERES.items())), in_hand=(LooseSphere(3, 10.0, 40.0, 30.0),), hands=(hand,))
    camera.draw(scene, 0.0)
    picture = benchmark(camera.draw, scene, 1.0)
    assert picture.shape == (480, 640, 3)


def test_bench_a_second_of_samples(benchmark):
    table = iter(SimulatedTable(0, frames_per_second=0))
    samples = benchmark(lambda: list(islice(table, 80)))
    assert len(samples) == 80
