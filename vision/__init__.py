"""What the camera sees: frames in, dominoes and lines with probabilities out; nothing of the game is known here."""
