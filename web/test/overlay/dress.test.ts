import { Matrix4, Vector3 as Point } from "three";
import { expect, test } from "vitest";
import type { OverlaySolved, Quaternion, Vector3 } from "../../src/messages";
import { Dress, type FingerAngles } from "../../src/overlay/dress";
import { about, multiply, normalized, rotate } from "../../src/quaternion";
import { HUMAN, JOINTS, RIG, solved } from "./samples";

const FLAT: FingerAngles = [[0, 0, 0], [0, 0, 0]];
const dress = new Dress(JOINTS, HUMAN, RIG);

function pose(what: OverlaySolved, fingers = FLAT): Matrix4[] {
  const out = JOINTS.map(() => new Matrix4());
  dress.pose(what, fingers, out);
  return out;
}

function at(matrices: Matrix4[], name: string, rest?: Vector3): Vector3 {
  const index = JOINTS.findIndex((joint) => joint.name === name);
  const p = new Point(...(rest ?? JOINTS[index]!.position)).applyMatrix4(matrices[index]!);
  return [p.x, p.y, p.z];
}

function close(a: Vector3, b: Vector3): void {
  a.forEach((value, axis) => expect(value).toBeCloseTo(b[axis]!, 9));
}

const turnA: Quaternion = normalized([0.7, 0.3, -0.5, 0.2]);
const turnB: Quaternion = normalized([0.2, -0.6, 0.4, 0.5]);
const add = (a: Vector3, b: Vector3): Vector3 => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];

test("no rotation and no stretch leave every point where it rests", () => {
  for (const matrix of pose(solved())) {
    matrix.elements.forEach((value, index) => expect(value).toBeCloseTo(index % 5 === 0 ? 1 : 0, 12));
  }
});

test("elbow and wrist stand where the rotations and stretches say (eq. 21, 22), also on a turned body", () => {
  const body_q = about([0, 0, 1], 0.4);
  const what = solved({ shoulder_q: turnA, elbow_q: turnB, stretch_upper: 1.3, stretch_fore: 0.8 }, { body_p: [0.1, 0.2, -0.3], body_q });
  const matrices = pose(what);
  const shoulder = add(rotate(body_q, [0, 0.2, 1.4]), [0.1, 0.2, -0.3]);
  close(at(matrices, "left_upper_arm"), shoulder);
  const elbow = add(shoulder, rotate(multiply(turnA, body_q), [0, 0.3 * 1.3, 0]));
  close(at(matrices, "left_forearm"), elbow);
  close(at(matrices, "left_hand"), add(elbow, rotate(multiply(turnB, body_q), [0, 0.25 * 0.8, 0])));
  // The skin over the clavicle turns about the shoulder, which stays in place.
  close(at(matrices, "left_shoulder", [0, 0.2, 1.4]), shoulder);
});

test("joints that two segments share meet: the arm has no gap", () => {
  const matrices = pose(solved({ shoulder_q: turnA, elbow_q: turnB, wrist_q: turnA, stretch_upper: 0.7, stretch_fore: 1.5 }));
  close(at(matrices, "left_upper_arm", [0, 0.5, 1.4]), at(matrices, "left_forearm", [0, 0.5, 1.4]));
  close(at(matrices, "left_forearm", [0, 0.75, 1.4]), at(matrices, "left_hand", [0, 0.75, 1.4]));
});

test("a stretch lengthens the bone and neither thickens the arm nor changes the hand", () => {
  const matrices = pose(solved({ stretch_upper: 1.5, wrist_q: turnB }));
  const skin = at(matrices, "left_upper_arm", [0.04, 0.35, 1.4]);
  close(skin, [0.04, 0.2 + 0.15 * 1.5, 1.4]);
  const hand = matrices[5]!;
  expect(hand.determinant()).toBeCloseTo(1, 9);
  expect(matrices[3]!.determinant()).toBeCloseTo(1.5, 9);
});

test("the other arm does not move", () => {
  const matrices = pose(solved({ shoulder_q: turnA, stretch_upper: 2 }));
  close(at(matrices, "right_hand"), [0, -0.75, 1.4]);
});

test("fingers close towards the palm and keep their lengths; a nameless joint goes with its parent", () => {
  const matrices = pose(solved(), [[0, 0.8, 0], [0.5, 0, 0]]);
  close(at(matrices, "left_index_1"), [0.02, 0.83, 1.4]);
  const second = at(matrices, "left_index_2");
  expect(second[2]).toBeLessThan(1.4);
  expect(Math.atan2(1.4 - second[2], second[1] - 0.83)).toBeCloseTo(0.4, 9);
  expect(Math.hypot(second[1] - 0.83, second[2] - 1.4)).toBeCloseTo(0.03, 9);
  const tip = at(matrices, "left_index_tip");
  expect(Math.hypot(...tip.map((value, axis) => value - second[axis]!))).toBeCloseTo(0.02, 9);
  // The right thumb turns towards the fingers: from forward to the side.
  const thumb = new Point(0.1, 0, 0).transformDirection(matrices[12]!);
  expect(thumb.y).toBeLessThan(-0.4);
});

/** The angle by which a joint turned the upward direction, about the left arm in its T-pose. */
function rolled(matrices: Matrix4[], name: string): number {
  const up = new Point(0, 0, 1).transformDirection(matrices[JOINTS.findIndex((joint) => joint.name === name)]!);
  return Math.atan2(up.x, up.z);
}

test("twist is spread: none at the shoulder and the elbow, the hand's at the wrist", () => {
  const [upper, fore, hand] = [0.5, 0.9, 1.5].map((angle) => about([0, 1, 0], angle)) as [Quaternion, Quaternion, Quaternion];
  const matrices = pose(solved({ shoulder_q: upper, elbow_q: fore, wrist_q: hand }));
  expect(rolled(matrices, "left_upper_arm_twist_1")).toBeCloseTo(0, 9);
  expect(rolled(matrices, "left_upper_arm")).toBeCloseTo(0.5, 9);
  // The forearm's twist begins with the upper arm's.
  expect(rolled(matrices, "left_forearm_twist_1")).toBeCloseTo(0.5, 9);
  expect(rolled(matrices, "left_forearm")).toBeCloseTo(0.9, 9);
  expect(rolled(matrices, "left_forearm_twist_5")).toBeCloseTo(1.5, 9);
  expect(rolled(matrices, "left_hand")).toBeCloseTo(1.5, 9);
});

test("the elbow's helper bends half way and stays at the elbow", () => {
  const matrices = pose(solved({ elbow_q: about([0, 0, -1], 1.2), stretch_upper: 1.2 }));
  close(at(matrices, "left_elbow"), at(matrices, "left_forearm"));
  const along = new Point(0, 1, 0).transformDirection(matrices[JOINTS.findIndex(({ name }) => name === "left_elbow")]!);
  expect(Math.atan2(along.x, along.y)).toBeCloseTo(0.6, 9);
});

test("an arm turned right round is finite", () => {
  for (const axis of [[1, 0, 0], [0, 0, 1]] as Vector3[]) {
    const round = about(axis, Math.PI);
    for (const matrix of pose(solved({ shoulder_q: round, elbow_q: [1, 0, 0, 0], wrist_q: round }))) {
      expect(matrix.elements.every(Number.isFinite)).toBe(true);
    }
  }
});
