import { expect, test } from "vitest";
import { ClockOffset } from "../src/link/clock";

const OFFSET = 5_000_000_000;

/** A ping whose ways there and back take these times. */
function ping(clock: ClockOffset, sent: number, there: number, back: number): void {
  const received = sent + there + OFFSET;
  const replied = received + 1000;
  clock.add(sent, received, replied, sent + there + 1000 + back);
}

test("equal ways give the exact offset", () => {
  const clock = new ClockOffset();
  ping(clock, 100, 7000, 7000);
  expect(clock.best).toEqual({ offset: OFFSET, roundTrip: 14000 });
  expect(clock.toLocal(OFFSET + 42)).toBe(42);
});

test("the smallest round trip of the window is believed", () => {
  const clock = new ClockOffset(20);
  ping(clock, 0, 1000, 1000);
  for (let i = 1; i < 20; i++) ping(clock, i, 90_000, 4000);
  expect(clock.best?.offset).toBe(OFFSET);
  ping(clock, 20, 90_000, 4000);
  expect(clock.best?.offset).toBe(OFFSET + 43_000);
});

test("nothing is known before the first answer, nor from an impossible one", () => {
  const clock = new ClockOffset();
  expect(clock.toLocal(1)).toBeUndefined();
  clock.add(100, 200, 900, 150);
  expect(clock.best).toBeUndefined();
});
