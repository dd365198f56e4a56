"""The demonstration: a simulated table and four simulated players in front of the real program."""
