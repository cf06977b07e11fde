import { Decoder, Encoder } from "@msgpack/msgpack";
import type { LatestDown, LatestUp, OverlayDown, OverlayUp, ReliableDown, ReliableUp } from "../messages";

const encoder = new Encoder({ useBigInt64: true });
const decoder = new Decoder();

/**
 * A message as msgpack. Nanoseconds exceed 32 bits, where the encoder would write a float that the
 * avatar refuses; as BigInt they stay integers.
 */
export function encode(message: LatestUp | ReliableUp | OverlayUp): Uint8Array<ArrayBuffer> {
  return encoder.encode(nanosecondsAsBigInt(message)) as Uint8Array<ArrayBuffer>;
}

export function decode<Message = LatestDown | ReliableDown>(data: ArrayBuffer): Message {
  return decoder.decode(new Uint8Array(data)) as Message;
}

export function decodeOverlay(data: ArrayBuffer): OverlayDown {
  return decode<OverlayDown>(data);
}

function nanosecondsAsBigInt(value: object): object {
  const copy: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(value)) {
    if (key.endsWith("_ns")) copy[key] = BigInt(field as number);
    else if (key === "stamp") copy[key] = nanosecondsAsBigInt(field as object);
    else copy[key] = field;
  }
  return copy;
}
