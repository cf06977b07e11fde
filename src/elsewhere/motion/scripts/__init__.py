"""Trajectory scripts as data: one TOML file each (see `elsewhere.motion.script`)."""
