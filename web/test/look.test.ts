import { expect, test } from "vitest";
import { Look } from "../src/controls/look";
import { about, multiply, rotate } from "../src/quaternion";

test("straight ahead is the identity, whatever the avatar's home", () => {
  const look = new Look();
  look.home = about([0, 1, 0], 0.6);
  [1, 0, 0, 0].forEach((value, i) => expect(look.orientation[i]).toBeCloseTo(value, 12));
});

test("looking aside keeps the avatar's horizon level and adds pitch to its home", () => {
  const look = new Look();
  look.home = about([0, 1, 0], 0.6);
  look.turn(0.8, -0.25);
  const robot = multiply(look.home, look.orientation);
  expect(rotate(robot, [0, 1, 0])[2]).toBeCloseTo(0, 12);
  const forward = rotate(robot, [1, 0, 0]);
  expect(forward[2]).toBeCloseTo(-Math.sin(0.35), 12);
  expect(Math.atan2(forward[1], forward[0])).toBeCloseTo(0.8, 12);
});

test("the neck has limits", () => {
  const look = new Look();
  look.turn(9, 9);
  expect([look.yaw, look.pitch]).toEqual([1.4, 1.1]);
});
