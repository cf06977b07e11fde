import { expect, test } from "vitest";
import { HOLD_MS, Presence } from "../../src/overlay/presence";

/** Steps of 20 ms for so long; the opacity at the end. */
function run(presence: Presence, from: number, ms: number, healthy: boolean): number {
  for (let now = from; now <= from + ms; now += 20) presence.step(now, healthy);
  return presence.opacity;
}

test("nothing is shown before the first good pose, then it comes within a moment", () => {
  const presence = new Presence();
  expect(run(presence, 0, 500, false)).toBe(0);
  expect(run(presence, 520, 400, true)).toBe(1);
});

test("a loss is held for a second, then fades out; a short one is not seen at all", () => {
  const presence = new Presence();
  run(presence, 0, 1000, true);
  expect(run(presence, 1020, HOLD_MS - 40, false)).toBe(1);
  expect(run(presence, 2000, 20, true)).toBe(1);
  expect(run(presence, 2040, HOLD_MS - 40, false)).toBe(1);
  const fading = run(presence, 3020, 300, false);
  expect(fading).toBeGreaterThan(0);
  expect(fading).toBeLessThan(1);
  expect(run(presence, 3340, 600, false)).toBe(0);
  expect(run(presence, 3960, 400, true)).toBe(1);
});

test("a page that slept does not jump", () => {
  const presence = new Presence();
  run(presence, 0, 1000, true);
  expect(presence.step(60_000, false)).toBeGreaterThan(0.8);
  expect(presence.step(60_020, true)).toBeGreaterThan(0.8);
});
