import type { Link } from "./link/link";

/**
 * Makes the present look "straight ahead". The avatar takes the head pose that it knows when the
 * request arrives, and frames travel on another channel: so the request waits until the avatar has
 * seen the frame that carries the new pose.
 */
export class Rehome {
  private after?: number;

  constructor(private readonly link: Link) {}

  /** Asks, once the avatar has seen frame `seq`. */
  request(seq: number): void {
    this.after = seq;
  }

  seen(frameSeq: number): void {
    if (this.after === undefined || frameSeq < this.after) return;
    this.after = undefined;
    this.link.sendReliable({ type: "Rehome" });
  }

  cancel(): void {
    this.after = undefined;
  }
}
