"""The wire to a seat board with a microcontroller; nothing of the game is known here."""
