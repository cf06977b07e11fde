"""Where the robot's base stands in the viewer's world: a fiducial seen by the viewer's camera, filtered."""
