"""An operator frame from bytes to a validated object: ours, and what one would write otherwise."""

from __future__ import annotations

import json

import msgpack
from pydantic import BaseModel, Field

from bench.row import Row, compare
from elsewhere.messages import HandInput, HeadInput, OperatorFrame, Stamp, decode_latest_up, encode


class PydanticStamp(BaseModel):
    sampled_ns: int
    available_ns: int
    device_ns: int = 0


class PydanticHand(BaseModel):
    tracked: bool
    clutch: bool
    position: tuple[float, float, float]
    orientation: tuple[float, float, float, float]
    fingers: tuple[float, float, float, float, float, float]


class PydanticHead(BaseModel):
    tracked: bool
    orientation: tuple[float, float, float, float]


class PydanticFrame(BaseModel):
    seq: int = Field(ge=1)
    stamp: PydanticStamp
    left: PydanticHand
    right: PydanticHand
    head: PydanticHead
    base_twist: tuple[float, float, float]


def measure() -> list[Row]:
    hand = HandInput(True, True, (0.5, 0.2, 1.1), (1.0, 0.0, 0.0, 0.0), (0.1, 0.2, 0.3, 0.4, 0.5, 0.6))
    frame = OperatorFrame(
        7, Stamp(10**18, 10**18), hand, hand, HeadInput(True, (1.0, 0.0, 0.0, 0.0)), (0.1, 0.0, 0.2)
    )
    data = encode(frame)
    plain = msgpack.unpackb(data)
    text = json.dumps(plain)
    model = PydanticFrame.model_validate(plain)
    return [
        compare(
            "decode and validate an operator frame",
            lambda: decode_latest_up(data),
            {
                "msgpack + pydantic": lambda: PydanticFrame.model_validate(msgpack.unpackb(data)),
                "json + pydantic": lambda: PydanticFrame.model_validate_json(text),
                "json, not validated": lambda: json.loads(text),
            },
        ),
        compare(
            "encode an operator frame",
            lambda: encode(frame),
            {
                "pydantic + msgpack": lambda: msgpack.packb(model.model_dump()),
                "pydantic json": lambda: model.model_dump_json(),
            },
        ),
    ]
