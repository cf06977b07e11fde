/** This page's monotonic clock [ns]. Its origin is the page's own: `ClockOffset` relates it to the avatar's. */
export function nowNs(): number {
  return Math.round(performance.now() * 1e6);
}

interface Sample {
  offset: number;
  roundTrip: number;
}

/**
 * The avatar's clock minus ours [ns], from pings.
 *
 * offset = ((received - sent) + (replied - now)) / 2 is wrong by at most half the round trip, so of
 * the last `window` answers the one with the smallest round trip is believed.
 */
export class ClockOffset {
  private samples: Sample[] = [];

  constructor(private readonly window = 20) {}

  add(sent: number, received: number, replied: number, now: number): void {
    const roundTrip = now - sent - (replied - received);
    if (!(roundTrip >= 0)) return;
    this.samples.push({ offset: (received - sent + (replied - now)) / 2, roundTrip });
    if (this.samples.length > this.window) this.samples.shift();
  }

  get best(): Sample | undefined {
    let best: Sample | undefined;
    for (const sample of this.samples) if (!best || sample.roundTrip < best.roundTrip) best = sample;
    return best;
  }

  /** A time of the avatar's clock in ours, or undefined while nothing has been measured. */
  toLocal(avatarNs: number): number | undefined {
    const best = this.best;
    return best && avatarNs - best.offset;
  }

  reset(): void {
    this.samples = [];
  }
}
