"""The camera loop, in its own thread: newest configuration -> picture -> packet -> every viewer.

Rendering, converting and encoding release Python's lock, so the event loop goes on meanwhile. No
frame is ever queued: a late loop leaves frames out, and a viewer who is late loses frames up to the
next keyframe (`elsewhere.link.track`). While nobody watches, nothing is rendered.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable
from typing import Protocol

import mujoco
import numpy as np
from numpy.typing import NDArray

from elsewhere.errors import ElsewhereError
from elsewhere.link.track import PacketTrack, VideoPacket
from elsewhere.pace import prefer_this_thread
from elsewhere.presence.framestamp import write_stamp
from elsewhere.presence.video import VideoEncoder, rtp_ticks
from elsewhere.rig import Video
from elsewhere.server.notices import Notices
from elsewhere.server.place import HeadView
from elsewhere.shared import Slot

logger = logging.getLogger(__name__)

Listener = Callable[[bytes, bool, int, int], None]
"""Gets packet bytes, whether it is a keyframe, sampled_ns and frame number, in the camera's thread."""

KEYFRAME_GAP_S = 0.3  # a broken link asks for keyframes in a storm; each costs several frames of bit rate
IDLE_S = 0.02
NICENESS = -10
SMOOTH = 0.1


class PictureSource(Protocol):
    """What renders: `world.cameras.StereoCamera`, or anything like it."""

    def render(self, qpos: NDArray[np.float64]) -> NDArray[np.uint8]:
        """The picture (height, 2 width, 3) of that configuration, left eye in the left half."""

    def close(self) -> None:
        """Free the graphics. Called in the thread that renders."""


class Media:
    """The camera loop. `camera` makes the source inside the thread, where its OpenGL context lives."""

    def __init__(
        self,
        video: Video,
        model: mujoco.MjModel,
        scene: Slot,
        camera: Callable[[], PictureSource],
        notices: Notices,
        *,
        stamp: bool = True,
    ) -> None:
        self._video, self._model, self._scene = video, model, scene
        self._camera, self._notices, self._stamp = camera, notices, stamp
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._tracks: tuple[PacketTrack, ...] = ()
        self._listeners: tuple[Listener, ...] = ()
        self._stopping = threading.Event()
        self._wanted = threading.Event()
        self._keyframe = threading.Event()
        self._keyframe_s = -KEYFRAME_GAP_S
        self.fault = ""
        """Why there is no video, in words; empty while all is well."""
        self.frames = 0
        self.render_ms = self.encode_ms = 0.0

    # --- from the event loop --------------------------------------------------------------------

    def start(self) -> None:
        """Start the thread. Called in the event loop that will carry the packets."""
        self._loop = asyncio.get_running_loop()
        self._thread = threading.Thread(target=self._run, name="camera", daemon=True)
        self._thread.start()

    async def stop(self) -> None:
        """End the thread."""
        self._stopping.set()
        self._wanted.set()
        if self._thread is not None:
            await asyncio.to_thread(self._thread.join, 5.0)

    def attach(self, track: PacketTrack) -> None:
        """Feed this track from the next keyframe on, which is made at once."""
        self._tracks = (*self._tracks, track)
        self._keyframe_s = -KEYFRAME_GAP_S
        self.want_keyframe()
        self._wanted.set()

    def detach(self, track: PacketTrack) -> None:
        """Feed this track no more."""
        self._tracks = tuple(item for item in self._tracks if item is not track)

    def want_keyframe(self) -> None:
        """Make one of the next pictures a keyframe. Safe from any thread."""
        self._keyframe.set()

    def listen(self, listener: Listener) -> None:
        """Give every packet to `listener` too (a recorder), while somebody watches."""
        self._listeners = (*self._listeners, listener)
        self.want_keyframe()

    def unlisten(self, listener: Listener) -> None:
        """Give no more packets to `listener`."""
        self._listeners = tuple(item for item in self._listeners if item != listener)

    @property
    def watched(self) -> bool:
        """Whether anyone watches. A recorder alone does not count: it records what a person sees."""
        return bool(self._tracks)

    # --- in the camera's thread -----------------------------------------------------------------

    def _run(self) -> None:
        try:
            self._film()
        except ElsewhereError as error:
            self.fault = str(error)
        except Exception as error:
            logger.exception("the camera loop ended")
            self.fault = f"The cameras stopped: {error!r}. Start the avatar again."
        if self.fault:
            self._notices.notify("fault", "no-video", self.fault)

    def _film(self) -> None:
        # A picture that waits for a processor grows old; the browser's many threads can wait instead.
        prefer_this_thread(NICENESS)
        video = self._video
        source = self._camera()
        view = HeadView(self._model)
        source.render(self._model.qpos0)
        _make_encoder(video).encode(_blank(video), 0)  # loads the compiled conversion
        encoder = _make_encoder(video)
        period_s = 1.0 / video.rate_hz
        due_s = time.monotonic()
        while not self._stopping.is_set():
            if not self.watched or not self._scene.version:
                self._wanted.wait(IDLE_S if self.watched else 1.0)
                self._wanted.clear()
                continue
            now_s = time.monotonic()
            if now_s < due_s:
                time.sleep(due_s - now_s)
            # A late frame moves the rhythm; it is never followed by a burst.
            due_s = max(due_s, now_s) + period_s
            self._shoot(source, encoder, view)
        source.close()

    def _shoot(self, source: PictureSource, encoder: VideoEncoder, view: HeadView) -> None:
        record = self._scene.read()
        sampled_ns, qpos = int(record["sampled_ns"]), record["qpos"]
        started = time.perf_counter()
        picture = source.render(qpos)
        rendered = time.perf_counter()
        self.frames += 1
        if self._stamp:
            write_stamp(picture, self.frames)
        keyframe = self._keyframe.is_set() and started - self._keyframe_s >= KEYFRAME_GAP_S
        if keyframe:
            self._keyframe.clear()
            self._keyframe_s = started
        packet = encoder.encode(picture, rtp_ticks(sampled_ns), keyframe=keyframe)
        encoded = time.perf_counter()
        self.render_ms += SMOOTH * ((rendered - started) * 1e3 - self.render_ms)
        self.encode_ms += SMOOTH * ((encoded - rendered) * 1e3 - self.encode_ms)
        made = VideoPacket(
            packet, self.frames, sampled_ns, view.orientation(qpos), bool(packet.is_keyframe)
        )
        if self._tracks and self._loop is not None and not self._stopping.is_set():
            self._loop.call_soon_threadsafe(self._publish, made)
        for listener in self._listeners:
            listener(bytes(packet), made.keyframe, sampled_ns, self.frames)

    def _publish(self, packet: VideoPacket) -> None:
        for track in self._tracks:
            track.push(packet)


def _make_encoder(video: Video) -> VideoEncoder:
    return VideoEncoder(2 * video.width, video.height, video.rate_hz, video.bitrate_kbps)


def _blank(video: Video) -> NDArray[np.uint8]:
    return np.zeros((video.height, 2 * video.width, 3), np.uint8)
