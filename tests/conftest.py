"""For every test: a property may take its time on a busy machine."""

from hypothesis import settings

settings.register_profile("gameline", deadline=None)
settings.load_profile("gameline")
