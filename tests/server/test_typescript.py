from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

import elsewhere.messages
import elsewhere.overlay_messages
from elsewhere.errors import MessageError
from elsewhere.server.typescript import generate, main


def test_every_message_and_field_is_there(tmp_path: Path) -> None:
    main(["--out", str(tmp_path / "messages.ts")])
    text = (tmp_path / "messages.ts").read_text()
    for name, kind in {**vars(elsewhere.messages), **vars(elsewhere.overlay_messages)}.items():
        if isinstance(kind, type) and issubclass(kind, msgspec.Struct) and kind is not msgspec.Struct:
            body = text.split(f"export interface {name} {{\n")[1].split("}")[0]
            for field in msgspec.structs.fields(kind):
                assert f"  {field.name}: " in body
            assert (f'  type: "{name}";' in body) == (kind.__struct_config__.tag is not None)
    assert "export type LatestUp = OperatorFrame | Ping | Pong;" in text
    assert 'export type ModeName = "hold" | "fade" | "track" | "stopped";' in text
    assert "  goals: Record<string, boolean>;" in text
    assert "  things: ThingDescription[];" in text
    assert '  level: "info" | "warning" | "fault";' in text


def test_an_unknown_annotation_is_named() -> None:
    with pytest.raises(MessageError, match="complex\\[3\\]"):
        generate("class A(Struct):\n    x: complex[3]\n")
