from __future__ import annotations

from hypothesis import settings

# A loaded machine must not fail a property by being slow.
settings.register_profile("no-deadline", deadline=None)
settings.load_profile("no-deadline")
