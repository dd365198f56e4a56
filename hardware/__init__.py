"""Buttons, lamps and buzzer on the pins of the Raspberry Pi; nothing of the game is known here."""
