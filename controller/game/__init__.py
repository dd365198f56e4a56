"""The core of the game: what happened, by the rules; no clock, file, thread or array ever enters here."""
