"""From a picture to H.264, with as little delay as one core allows.

Measured on two shared cores, rendered pictures of 1280 x 480, 4 Mb/s, one thread: x264 `ultrafast`
4.1 ms a frame (p95 7.1), `superfast` 5.7 ms; VP8 (libvpx, `cpu-used` -16) 6.0 ms (p95 12.2). Two
threads gain nothing while the other core renders. Swscale took 4 to 5 ms to convert the colours and a
new frame 7 ms to allocate and fill; the compiled conversion into a frame that is used again takes
0.6 ms. So: x264, `ultrafast`, one thread, our own conversion.
"""

from __future__ import annotations

from fractions import Fraction

import av
import numpy as np
from numpy.typing import NDArray

from elsewhere.errors import RigError
from elsewhere.presence._kernels import rgb_to_i420

CLOCK_HZ = 90_000
"""Ticks a second of RTP video time (RFC 6184)."""
TIME_BASE = Fraction(1, CLOCK_HZ)
KEYFRAME_S = 10.0  # a keyframe at least this often, so that a recording can be entered in the middle
VBV_S = 0.1  # how long the rate may be exceeded: longer smooths quality, shorter keeps frames punctual


def rtp_ticks(time_ns: int) -> int:
    """Nanoseconds as ticks of the RTP video clock."""
    return time_ns * 9 // 100_000


class VideoEncoder:
    """One H.264 stream (constrained baseline, level 3.1, no B-frames, headers before every keyframe).

    Invariant: each picture gives exactly one packet at once; nothing is held back.
    """

    def __init__(self, width: int, height: int, rate_hz: int, bitrate_kbps: int) -> None:
        if width % 2 or height % 2 or width <= 0 or height <= 0:
            raise RigError(f"A video of {width} x {height} cannot be encoded. Take even sizes.")
        self.width, self.height = width, height
        self._codec = av.CodecContext.create("libx264", "w")
        self._codec.width, self._codec.height = width, height
        self._codec.pix_fmt = "yuv420p"
        self._codec.framerate = Fraction(rate_hz, 1)
        self._codec.time_base = TIME_BASE
        self._codec.bit_rate = bitrate_kbps * 1000
        self._codec.gop_size = round(KEYFRAME_S * rate_hz)
        self._codec.max_b_frames = 0
        self._codec.thread_count = 1
        self._codec.options = {
            "preset": "ultrafast",
            "tune": "zerolatency",
            "profile": "baseline",
            "level": "31",
            "maxrate": f"{bitrate_kbps}k",
            "bufsize": f"{round(bitrate_kbps * VBV_S)}k",
            "forced-idr": "1",
            "x264-params": "repeat-headers=1:scenecut=0:colormatrix=smpte170m:range=tv",
        }
        # One frame for ever: x264 copies what it is given before `encode` returns.
        self._frame = av.VideoFrame(width, height, "yuv420p")
        self._planes = [
            np.frombuffer(plane, np.uint8).reshape(plane.height, plane.line_size)[:, : plane.width]
            for plane in self._frame.planes
        ]
        self._pts = -1

    def encode(self, rgb: NDArray[np.uint8], ticks: int, *, keyframe: bool = False) -> av.Packet:
        """The picture (height, width, 3) as one packet, at `ticks` of the RTP clock.

        A picture that is stored bottom up and viewed with `[::-1]`, as OpenGL gives it, costs no copy.
        Times that do not increase are moved on by one tick.
        """
        if rgb.shape != (self.height, self.width, 3):
            raise RigError(f"A picture of {rgb.shape} does not fit a {self.width} x {self.height} video.")
        flip = rgb.strides[0] < 0
        rows = np.ascontiguousarray(rgb[::-1] if flip else rgb).reshape(self.height, 3 * self.width)
        rgb_to_i420(rows, flip, *self._planes)
        self._pts = max(ticks, self._pts + 1)
        self._frame.pts, self._frame.time_base = self._pts, TIME_BASE
        kind = av.video.frame.PictureType
        self._frame.pict_type = kind.I if keyframe else kind.NONE
        packet = self._codec.encode(self._frame)[0]
        packet.time_base = TIME_BASE
        return packet


class VideoDecoder:
    """The way back: packets of one H.264 stream into RGB pictures (height, width, 3)."""

    def __init__(self) -> None:
        self._codec = av.CodecContext.create("h264", "r")
        self._codec.thread_count = 1
        self._codec.options = {"flags": "low_delay"}

    def decode(self, data: bytes) -> list[NDArray[np.uint8]]:
        """Pictures that are complete with this packet."""
        return [frame.to_ndarray(format="rgb24") for frame in self._codec.decode(av.Packet(data))]
