import { Matrix4, Vector3 as Point } from "three";
import { expect, test } from "vitest";
import { positionToXr } from "../../src/vr/axes";
import { BASE_GLTF, WORLD_BASE } from "../../src/overlay/frames";
import { Placement } from "../../src/overlay/placement";

const VIEWER = { x: 1, y: 1.6, z: 2 };

function place(): Placement {
  const placement = new Placement();
  placement.put({ x: 0, y: 0.1, z: -1 }, VIEWER);
  return placement;
}

test("the frames agree with the rest of the page", () => {
  const { x, y, z } = positionToXr([0.3, 0.5, 0.7]);
  const p = new Point(0.3, 0.5, 0.7).applyMatrix4(WORLD_BASE);
  expect([p.x, p.y, p.z]).toEqual([x, y, z]);
  // glTF: z forward, x left, y up.
  expect(new Point(0.2, 0.3, 0.1).applyMatrix4(BASE_GLTF).toArray()).toEqual([0.1, 0.2, 0.3]);
  for (const matrix of [WORLD_BASE, BASE_GLTF]) expect(matrix.determinant()).toBe(1);
});

test("the robot stands where it was put, upright, and faces the viewer", () => {
  const matrix = place().matrix;
  expect(new Point().applyMatrix4(matrix).toArray()).toEqual([0, 0.1, -1]);
  const front = new Point(1, 0, 0).transformDirection(matrix);
  expect(front.x / front.z).toBeCloseTo(1 / 3, 9);
  expect(front.z).toBeGreaterThan(0);
  expect(new Point(0, 0, 1).transformDirection(matrix).y).toBeCloseTo(1, 9);
});

test("nudges go as the viewer sees them", () => {
  const placement = new Placement();
  placement.put({ x: 0, y: 0, z: -2 }, { x: 0, y: 1.6, z: 0 });
  placement.nudge(0.1, 0.2, 0.3, { x: 0, y: 1.6, z: 0 });
  expect(placement.at.x).toBeCloseTo(0.1, 9);
  expect(placement.at.y).toBeCloseTo(0.2, 9);
  expect(placement.at.z).toBeCloseTo(-2.3, 9);
});

test("a pose from a marker or an anchor loses its tilt and keeps place and heading", () => {
  const placement = place();
  const tilted = placement.matrix.multiply(new Matrix4().makeRotationY(0.05));
  const other = new Placement();
  other.matrix = tilted;
  expect(other.yaw).toBeCloseTo(placement.yaw, 9);
  expect(other.at.distanceTo(placement.at)).toBeLessThan(1e-12);
});
