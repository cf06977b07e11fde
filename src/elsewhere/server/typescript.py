"""Writes `web/src/messages.ts` from the messages' modules: Python is the only schema.

    python -m elsewhere.server.typescript [--out FILE]

Every struct becomes an interface, every alias (`Vector3`, `LatestUp`) a type, every docstring a
comment. A tagged struct gets its literal `type`, so the unions are discriminated. The generator
reads the source of the modules, because evaluated annotations forget the names of their aliases.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import textwrap
from pathlib import Path

import elsewhere.messages
import elsewhere.overlay_messages
from elsewhere.errors import MessageError

PRIMITIVES = {"int": "number", "float": "number", "bool": "boolean", "str": "string", "bytes": "Uint8Array"}
MODULES = (elsewhere.messages, elsewhere.overlay_messages)
HEADER = """\
// Generated from src/elsewhere/messages.py and overlay_messages.py by
// `python -m elsewhere.server.typescript`: do not edit.
//
// On the wire a message is one msgpack map. Integers must be msgpack integers: the server refuses a
// float64 in their place, and encoders write a number beyond 2^53 as float64. So take nanoseconds
// from `Math.round(performance.now() * 1e6)` (the clocks are related by Ping and Pong, so any origin
// will do), or pass them to the encoder as BigInt.
"""


def generate(source: str | None = None) -> str:
    """The TypeScript of `source` (by default of `MODULES`)."""
    sources = [inspect.getsource(module) for module in MODULES] if source is None else [source]
    parts = [HEADER]
    body = [node for text in sources for node in ast.parse(text).body]
    for index, node in enumerate(body):
        if isinstance(node, ast.ClassDef) and _is_struct(node):
            parts.append(_interface(node))
        elif isinstance(node, ast.Assign) and (name := _alias(node)):
            after = body[index + 1] if index + 1 < len(body) else None
            parts.append(f"{_comment(_text(after))}export type {name} = {_type(node.value)};\n")
    return "\n".join(parts)


def _alias(node: ast.Assign) -> str:
    """The name of a type alias, or nothing for another assignment."""
    target = node.targets[0]
    return target.id if isinstance(target, ast.Name) and target.id[0].isupper() else ""


def _is_struct(node: ast.ClassDef) -> bool:
    return any(isinstance(base, ast.Name) and base.id == "Struct" for base in node.bases)


def _interface(node: ast.ClassDef) -> str:
    tagged = any(
        word.arg == "tag" and isinstance(word.value, ast.Constant) and word.value.value is True
        for word in node.keywords
    )
    lines = [f'  type: "{node.name}";'] if tagged else []
    lines += [
        f"  {item.target.id}: {_type(item.annotation)};"
        for item in node.body
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)
    ]
    body = "\n".join(lines)
    return f"{_comment(ast.get_docstring(node))}export interface {node.name} {{\n{body}\n}}\n"


def _type(node: ast.expr) -> str:
    """A Python annotation as a TypeScript type. Raises MessageError for one it does not know."""
    if isinstance(node, ast.Name):
        return PRIMITIVES.get(node.id, node.id)
    if isinstance(node, ast.Constant) and node.value is None:
        return "null"
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return f"{_type(node.left)} | {_type(node.right)}"
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
        inner = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
        match node.value.id:
            case "Annotated":
                return _type(inner[0])
            case "Literal":
                return " | ".join(_literal(item) for item in inner)
            case "list":
                return f"{_type(inner[0])}[]"
            case "dict":
                return f"Record<{_type(inner[0])}, {_type(inner[1])}>"
            case "tuple":
                return f"[{', '.join(_type(item) for item in inner)}]"
    raise MessageError(
        f"The annotation '{ast.unparse(node)}' has no TypeScript form. "
        f"Use {', '.join(PRIMITIVES)}, tuple, list, dict, Literal, Annotated, unions and structs."
    )


def _literal(node: ast.expr) -> str:
    value = node.value if isinstance(node, ast.Constant) else ast.unparse(node)
    return f'"{value}"' if isinstance(value, str) else str(value)


def _text(node: ast.stmt | None) -> str | None:
    """The string that documents the assignment before it, if there is one."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return str(node.value.value)
    return None


def _comment(text: str | None) -> str:
    if not text:
        return ""
    lines = textwrap.dedent(text).strip().splitlines()
    if len(lines) == 1:
        return f"/** {lines[0]} */\n"
    return "/**\n" + "".join(f" * {line}".rstrip() + "\n" for line in lines) + " */\n"


def main(arguments: list[str] | None = None) -> None:
    """Write the file; without `--out`, into the checkout's `web/src/messages.ts`."""
    checkout = Path(__file__).resolve().parents[3]
    parser = argparse.ArgumentParser(description="Write the TypeScript of the messages.")
    parser.add_argument("--out", type=Path, default=checkout / "web" / "src" / "messages.ts")
    out: Path = parser.parse_args(arguments).out
    out.parent.mkdir(parents=True, exist_ok=True)
    text = generate()
    # An unchanged file keeps its date, so that a watching build does not start again.
    if not out.exists() or out.read_text() != text:
        out.write_text(text)


if __name__ == "__main__":
    main()
