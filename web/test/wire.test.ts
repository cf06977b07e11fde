import { decode as raw } from "@msgpack/msgpack";
import { expect, test } from "vitest";
import { encode } from "../src/link/wire";

test("nanoseconds are integers on the wire, whatever their size", () => {
  for (const sent_ns of [5, 8_000_000_000, 2 ** 60]) {
    const bytes = encode({ type: "Ping", seq: 1, sent_ns });
    expect(raw(bytes, { useBigInt64: true })).toEqual({ type: "Ping", seq: 1, sent_ns: BigInt(sent_ns) });
  }
});
