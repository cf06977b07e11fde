import type { Source } from "./controls/source";
import type { Link } from "./link/link";
import { nowNs } from "./link/clock";
import { startTicker } from "./link/ticker";
import type { OperatorFrame } from "./messages";

const RATE_HZ = 110;
const PING_MS = 200;
/** A page that was busy finds several ticks waiting, and a mouse may tell of a thousand moves a second. */
const SHORTEST_MS = 5;

/** Sends the operator's frames, and pings, at a steady rate. */
export class Sender {
  last?: OperatorFrame;
  private seq = 0;
  private pings = 0;
  private sentAt = 0;
  private pingedAt = 0;

  constructor(
    private readonly link: Link,
    private readonly source: () => Source,
  ) {}

  start(): void {
    startTicker(RATE_HZ, () => this.tick());
  }

  /** One frame at once. A release does not wait for older data to leave. */
  send(force: boolean): void {
    const { sampledNs, ...intent } = this.source().sample();
    const seq = this.seq + 1;
    const stamp = { sampled_ns: sampledNs, available_ns: nowNs(), device_ns: 0 };
    const frame: OperatorFrame = { type: "OperatorFrame", seq, stamp, ...intent };
    this.sentAt = performance.now();
    if (this.link.role !== "operator" || !this.link.sendLatest(frame, force)) return;
    this.seq = seq;
    this.last = frame;
  }

  /** One frame at once, unless the last has only just left. */
  soon(): void {
    if (performance.now() - this.sentAt >= SHORTEST_MS) this.send(false);
  }

  get frameSeq(): number {
    return this.seq;
  }

  private tick(): void {
    const now = performance.now();
    if (now - this.pingedAt >= PING_MS && this.ping()) this.pingedAt = now;
    this.soon();
  }

  private ping(): boolean {
    return this.link.sendLatest({ type: "Ping", seq: ++this.pings, sent_ns: nowNs() });
  }
}
