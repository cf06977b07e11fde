import { Matrix4, Vector3 as Point } from "three";
import { expect, test } from "vitest";
import type { OverlayUp, Tracked } from "../../src/messages";
import { type Sight, Tracker } from "../../src/overlay/tracker";

const PICTURE = { width: 4, height: 3, jpeg: new Uint8Array([1]), fovDeg: 60, timeMs: 5, room_eye: new Matrix4().makeTranslation(1, 2, 3) };

function answer(sequence: number, change: Partial<Tracked> = {}): Tracked {
  return { type: "Tracked", sequence, found: true, p: [0, 0, 2], q: [1, 0, 0, 0], error_px: 0.3, ...change } as Tracked;
}

function make() {
  const sent: OverlayUp[] = [];
  const sights: Sight[] = [];
  const tracker = new Tracker((message) => sent.push(message) > 0, async () => PICTURE, (sight) => sights.push(sight));
  return { tracker, sent, sights };
}

test("one picture is in flight, and its answer belongs to it", async () => {
  const { tracker, sent, sights } = make();
  await tracker.step(0);
  await tracker.step(100);
  expect(sent).toHaveLength(1);
  tracker.read(answer(99));
  expect(sights).toHaveLength(0);
  tracker.read(answer(1));
  expect(tracker.found).toBe(true);
  expect(sights[0]!.room_eye).toBe(PICTURE.room_eye);
  expect(sent[0]).toMatchObject({ fov_deg: 60, eye_p: [1, 2, 3], eye_q: [1, 0, 0, 0], time_ms: 5 });
  expect(new Point().applyMatrix4(sights[0]!.camera_base).toArray()).toEqual([0, 0, 2]);
  // An answer counts once.
  tracker.read(answer(1));
  expect(sights).toHaveLength(1);
  await tracker.step(200);
  expect(sent).toHaveLength(2);
});

test.each([
  ["nothing found", { found: false }],
  ["a place that is not finite", { p: [NaN, 0, 1] as [number, number, number] }],
  ["a place behind the camera", { p: [0, 0, -1] as [number, number, number] }],
  ["no rotation", { q: [0, 0, 0, 0] as [number, number, number, number] }],
  ["a bad fit", { error_px: 30 }],
])("%s is no sight", async (_, change) => {
  const { tracker, sights } = make();
  await tracker.step(0);
  tracker.read(answer(1, change));
  expect(tracker.found).toBe(false);
  expect(sights).toHaveLength(0);
});

test("a picture that is never answered is given up", async () => {
  const { tracker, sent } = make();
  await tracker.step(0);
  tracker.read(answer(1));
  await tracker.step(100);
  await tracker.step(500);
  expect(sent).toHaveLength(2);
  expect(tracker.found).toBe(true);
  await tracker.step(1200);
  expect(sent).toHaveLength(3);
  expect(tracker.found).toBe(false);
});
