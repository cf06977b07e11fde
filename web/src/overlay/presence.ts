/** How long the last good pose is held before the human goes [ms]. */
export const HOLD_MS = 1000;
const FADE_OUT_MS = 600;
const FADE_IN_MS = 300;
/** A page that slept must not count its sleep as time that anybody saw. */
const LONGEST_STEP_MS = 100;

/**
 * How visible the human is: held for a second when poses, health or tracking are lost, then faded out; back in a
 * third of a second. Time is an argument.
 */
export class Presence {
  opacity = 0;
  private healthyAt = -Infinity;
  private steppedAt?: number;

  /** `healthy`: this moment's pose is fresh, without fault, and where the robot stands is known. */
  step(nowMs: number, healthy: boolean): number {
    const elapsed = Math.min(nowMs - (this.steppedAt ?? nowMs), LONGEST_STEP_MS);
    this.steppedAt = nowMs;
    if (healthy) this.healthyAt = nowMs;
    const wanted = nowMs - this.healthyAt <= HOLD_MS;
    const change = wanted ? elapsed / FADE_IN_MS : -elapsed / FADE_OUT_MS;
    this.opacity = Math.min(1, Math.max(0, this.opacity + change));
    return this.opacity;
  }
}
