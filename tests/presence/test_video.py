from __future__ import annotations

import numpy as np
import pytest
from video_pictures import make_picture

from elsewhere.errors import RigError
from elsewhere.presence._kernels import rgb_to_i420
from elsewhere.presence.framestamp import read_stamp, write_stamp
from elsewhere.presence.video import VideoDecoder, VideoEncoder, rtp_ticks
from elsewhere.rig import Video


def reference_i420(rgb):
    """BT.601 in floating point, chroma as means of four pixels."""
    r, g, b = (rgb[..., i].astype(float) for i in range(3))
    y = 16 + (65.738 * r + 129.057 * g + 25.064 * b) / 256
    u = 128 + (-37.945 * r - 74.494 * g + 112.439 * b) / 256
    v = 128 + (112.439 * r - 94.154 * g - 18.285 * b) / 256

    def halved(plane):
        return plane.reshape(plane.shape[0] // 2, 2, plane.shape[1] // 2, 2).mean(axis=(1, 3))

    return y, halved(u), halved(v)


@pytest.mark.parametrize("flip", [False, True])
def test_colours_agree_with_the_standard(flip) -> None:
    rgb = np.random.default_rng(0).integers(0, 256, (36, 52, 3), dtype=np.uint8)
    y, u, v = np.zeros((36, 52), np.uint8), np.zeros((18, 26), np.uint8), np.zeros((18, 26), np.uint8)
    stored = np.ascontiguousarray(rgb[::-1] if flip else rgb).reshape(36, -1)
    rgb_to_i420(stored, flip, y, u, v)
    for ours, wanted in zip((y, u, v), reference_i420(rgb), strict=True):
        assert np.abs(ours - wanted).max() < 1.6  # integer coefficients and rounding


def test_stamps_survive_the_real_encoder_at_the_real_bit_rate() -> None:
    video = Video()
    encoder = VideoEncoder(2 * video.width, video.height, video.rate_hz, video.bitrate_kbps)
    decoder = VideoDecoder()
    sizes = []
    for index in range(24):
        picture = make_picture(index)
        number = (index * 2_654_435_761) % 2**32
        write_stamp(picture, number)
        packet = encoder.encode(picture, index * 3000, keyframe=index == 16)
        assert packet.is_keyframe == (index in (0, 16))
        assert packet.pts == index * 3000
        sizes.append(packet.size)
        (seen,) = decoder.decode(bytes(packet))  # one in, one out: nothing is held back
        assert read_stamp(seen) == number
        if index % 12 == 0:
            assert np.abs(seen[16:].astype(int) - picture[16:]).mean() < 12
    assert sum(sizes[1:]) * 8 * 30 / 23 < 1.3 * video.bitrate_kbps * 1000


def test_a_keyframe_can_be_entered_and_times_always_increase() -> None:
    encoder = VideoEncoder(64, 48, 30, 500)
    black = np.zeros((48, 64, 3), np.uint8)
    pts = [encoder.encode(black, ticks).pts for ticks in (100, 100, 50, 400)]
    assert pts == [100, 101, 102, 400]
    packet = encoder.encode(black, 500, keyframe=True)
    assert len(VideoDecoder().decode(bytes(packet))) == 1
    data = bytes(packet)
    kinds = {data[i + 3] & 0x1F for i in range(len(data) - 3) if data[i : i + 3] == b"\0\0\1"}
    assert {7, 8, 5} <= kinds  # sequence header, picture header, IDR slice


def test_upside_down_pictures_come_out_upright() -> None:
    picture = make_picture(0, 640, 64)
    stored = np.ascontiguousarray(picture[::-1])
    plain, flipped = VideoEncoder(640, 64, 30, 3000), VideoEncoder(640, 64, 30, 3000)
    assert bytes(plain.encode(picture, 0)) == bytes(flipped.encode(stored[::-1], 0))


def test_wrong_sizes_are_refused() -> None:
    with pytest.raises(RigError, match="even"):
        VideoEncoder(641, 480, 30, 4000)
    with pytest.raises(RigError, match="does not fit"):
        VideoEncoder(64, 48, 30, 500).encode(np.zeros((48, 32, 3), np.uint8), 0)


def test_ticks() -> None:
    assert rtp_ticks(1_000_000_000) == 90_000
