"""How far the right hand was from its target, from a recording: python 03_read_a_recording.py FILE"""

import sys

import numpy as np

from elsewhere.record.reader import Session

with Session.open(sys.argv[1]) as session:
    ticks = session.ticks()
clutched = ticks[ticks["clutched"][:, 1] == 1]
if not len(clutched):
    sys.exit("The right hand was never clutched in this recording.")
error_mm = 1000 * np.linalg.norm(clutched["target_p"][:, 1] - clutched["palm_p"][:, 1], axis=1)
median, p95 = np.percentile(error_mm, (50, 95))
print(f"{len(clutched) / 1000:.1f} s clutched, error median {median:.1f} mm, p95 {p95:.1f} mm")
