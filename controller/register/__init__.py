"""The register of a game: one record made of the events, and the forms it is shown, kept and printed in."""
