"""What a table learns of the simulated players' hands, for a demo whose players it has met before."""

from companion.balance import Hand

SIMULATED_HAND = Hand(counts=(67.0, 4.0, 0.4, 8.0, 0.6), level=-0.4, level_sd=0.18)
"""Clean, drop, slam, nudge, press: as learned by the table itself from 80 touches of simulated games. These players are
gentler than people of whom nothing is known: their fingers bear with some grams, and nobody bumps."""
