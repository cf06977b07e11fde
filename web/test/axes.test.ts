import { expect, test } from "vitest";
import { about, multiply, rotate } from "../src/quaternion";
import type { Vector3 } from "../src/messages";
import { orientationFromXr, orientationToXr, positionFromXr, positionToXr } from "../src/vr/axes";

test("forward, left and up of the headset become x, y and z", () => {
  expect(positionFromXr({ x: 0, y: 0, z: -1 })).toEqual([1, -0, 0]);
  expect(positionFromXr({ x: -1, y: 0, z: 0 })).toEqual([-0, 1, 0]);
  expect(positionFromXr({ x: 0, y: 1, z: 0 })).toEqual([-0, -0, 1]);
});

test("a turn to the left is a positive turn about z", () => {
  const half = Math.SQRT1_2;
  const left = orientationFromXr({ x: 0, y: half, z: 0, w: half });
  const forward = rotate(left, [1, 0, 0]);
  [0, 1, 0].forEach((value, i) => expect(forward[i]).toBeCloseTo(value, 12));
});

test("looking up raises the forward axis", () => {
  const s = Math.sin(0.2);
  const forward = rotate(orientationFromXr({ x: s, y: 0, z: 0, w: Math.cos(0.2) }), [1, 0, 0]);
  expect(forward[2]).toBeCloseTo(Math.sin(0.4), 12);
});

test("rotating and converting commute, and conversion inverts", () => {
  const q = multiply(about([0, 0, 1], 0.7), multiply(about([0, 1, 0], -0.4), about([1, 0, 0], 1.1)));
  const p: Vector3 = [0.3, -0.2, 0.9];
  expect(orientationFromXr(orientationToXr(q))).toEqual(q);
  expect(positionFromXr(positionToXr(p))).toEqual(p);
  // The same rotation done in WebXR's axes.
  const { x, y, z, w } = orientationToXr(q);
  const { x: px, y: py, z: pz } = positionToXr(p);
  const [rx, ry, rz] = rotate([w, x, y, z], [px, py, pz]);
  const there = positionFromXr({ x: rx, y: ry, z: rz });
  rotate(q, p).forEach((value, i) => expect(there[i]).toBeCloseTo(value, 12));
});
