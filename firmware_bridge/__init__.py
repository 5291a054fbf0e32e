"""Everything that touches a pin or a serial line. Knows nothing of the game or of the camera."""
