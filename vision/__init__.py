"""From a picture to what stands on the board. Knows nothing of the game's rules or of the load cells."""
