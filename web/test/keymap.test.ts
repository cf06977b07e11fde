import { expect, test } from "vitest";
import { Edge, Latch } from "../src/controls/latch";
import { pastDeadZone } from "../src/controls/gamepad";
import { axis, HELD, PRESSED, pressedAction, type Held } from "../src/controls/keymap";

test("no key has two meanings", () => {
  expect(Object.keys(HELD).filter((code) => code in PRESSED)).toEqual([]);
});

test("help goes by its sign, the rest by its place", () => {
  expect(pressedAction({ code: "Minus", key: "?" })).toBe("help");
  expect(pressedAction({ code: "KeyX", key: "q" })).toBe("stop");
  expect(pressedAction({ code: "Escape", key: "Escape" })).toBe("stop");
  expect(pressedAction({ code: "KeyZ", key: "z" })).toBeUndefined();
});

test("opposite keys cancel", () => {
  const held = new Set<Held>(["baseForward"]);
  expect(axis(held, "baseForward", "baseBack")).toBe(1);
  expect(axis(held.add("baseBack"), "baseForward", "baseBack")).toBe(0);
});

test("a button that stays down through a release must be let go first", () => {
  const latch = new Latch();
  expect(latch.read(true)).toBe(false);
  latch.read(false);
  expect(latch.read(true)).toBe(true);
  latch.disarm();
  expect(latch.read(true)).toBe(false);
  latch.read(false);
  expect(latch.read(true)).toBe(true);
});

test("an edge counts once", () => {
  const edge = new Edge();
  expect([true, false, true, true, false].map((down) => edge.read(down))).toEqual([false, false, true, false, false]);
});

test("sticks rest in the dead zone and still reach their ends", () => {
  expect(pastDeadZone(0.1)).toBe(0);
  expect(pastDeadZone(-1)).toBe(-1);
});
