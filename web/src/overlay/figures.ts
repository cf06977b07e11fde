import type { OverlayArm } from "../messages";

/** How many things happened in the last second. Time is an argument. */
export class Rate {
  private times: number[] = [];

  add(nowMs: number): void {
    this.times.push(nowMs);
  }

  perSecond(nowMs: number): number {
    this.times = this.times.filter((time) => nowMs - time <= 1000);
    return this.times.length;
  }
}

/** Median and 95th percentile of the last values. */
export class Quantiles {
  private values: number[] = [];

  constructor(private readonly length = 300) {}

  add(value: number): void {
    this.values.push(value);
    if (this.values.length > this.length) this.values.shift();
  }

  get(): { p50: number; p95: number } | undefined {
    if (this.values.length === 0) return undefined;
    const sorted = [...this.values].sort((a, b) => a - b);
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!;
    return { p50: at(0.5), p95: at(0.95) };
  }

  reset(): void {
    this.values = [];
  }
}

export type Mark = "" | "odd" | "bad";

/** The figures of one arm as the table shows them, each with how much it deserves attention. */
export function armFigures(arm: OverlayArm): [string, Mark][] {
  return [
    [millimetres(arm.elbow_off), arm.elbow_off > 0.02 ? "odd" : ""],
    [millimetres(arm.wrist_off), arm.wrist_off > 0.02 ? "odd" : ""],
    [arm.stretch_upper.toFixed(2), unnatural(arm.stretch_upper)],
    [arm.stretch_fore.toFixed(2), unnatural(arm.stretch_fore)],
    [arm.status, arm.status === "ok" ? "" : arm.status === "straight" || arm.status === "folded" ? "odd" : "bad"],
  ];
}

function millimetres(metres: number): string {
  const mm = metres * 1000;
  return mm < 0.05 ? "0" : mm < 10 ? mm.toFixed(1) : mm.toFixed(0);
}

/** Beyond the limits of the paper's baselines. */
function unnatural(stretch: number): Mark {
  return stretch < 0.8 || stretch > 1.3 ? "odd" : "";
}
