import { expect, test } from "vitest";
import { Gate } from "../../src/overlay/gate";
import { arm, frame, solved, WELCOME } from "./samples";

test("newer frames pass, older and repeated ones do not", () => {
  const gate = new Gate(WELCOME);
  const passed = [5, 4, 5, 6, 9, 8].filter((sequence) => gate.admit(frame(sequence)));
  expect(passed).toEqual([5, 6, 9]);
  expect(gate.refused["out of order"]).toBe(3);
});

test("a robot that is not finite, far away or turned by nonsense is not drawn", () => {
  const gate = new Gate(WELCOME);
  expect(gate.admit(frame(1, { links_p: [[0, 0, 0], [NaN, 0, 0]] }))).toBeUndefined();
  expect(gate.admit(frame(2, { links_p: [[0, 0, 0], [0, 0, 1e6]] }))).toBeUndefined();
  expect(gate.admit(frame(3, { links_q: [[1, 0, 0, 0], [0, 0, 0, 0]] }))).toBeUndefined();
  expect(gate.refused["not finite"]).toBe(3);
  // What was refused does not count as seen.
  expect(gate.admit(frame(1))).toBeDefined();
});

test("a frame that misses a link or a solver is not drawn", () => {
  const gate = new Gate(WELCOME);
  expect(gate.admit(frame(1, { links_p: [[0, 0, 0]] }))).toBeUndefined();
  expect(gate.admit(frame(2, { solved: [solved()] }))).toBeUndefined();
  expect(gate.refused.incomplete).toBe(2);
});

test.each([
  ["a NaN rotation", { shoulder_q: [NaN, 0, 0, 0] as [number, number, number, number] }],
  ["an endless arm", { stretch_upper: 40 }],
  ["an arm of no length", { stretch_fore: 0 }],
  ["an infinite stretch", { stretch_fore: Infinity }],
])("%s refuses that solver's human alone", (_, change) => {
  const gate = new Gate(WELCOME);
  expect(gate.admit(frame(1, { solved: [solved(change), solved()] }))?.usable).toEqual([false, true]);
});

test("the body and the fingers are looked at too", () => {
  const gate = new Gate(WELCOME);
  expect(gate.admit(frame(1, { solved: [solved({}, { body_p: [0, 0, 99] }), solved()] }))?.usable).toEqual([false, true]);
  expect(gate.admit(frame(2, { fingers: [[0, NaN, 0], [0, 0, 0]] }))?.usable).toEqual([false, false]);
  expect(gate.admit(frame(3, { solved: [{ ...solved(), arms: [arm()] as never }, solved()] }))?.usable).toEqual([false, true]);
});
