import type { OperatorFrame } from "../messages";

/** What an operator commands at one moment: a frame without its number and its time of sending. */
export type Intent = Omit<OperatorFrame, "type" | "seq" | "stamp"> & { sampledNs: number };

/** Where intents come from: desktop controls, or a headset. */
export interface Source {
  sample(): Intent;
  /** Lets go of everything at once: clutches, base, look. Held buttons must be pressed anew. */
  release(): void;
}
