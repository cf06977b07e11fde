import { expect, test } from "vitest";
import { shownFov } from "../../src/overlay/cameraView";
import { count } from "../../src/overlay/coverage";
import { armFigures, Quantiles, Rate } from "../../src/overlay/figures";
import { armsOf } from "../../src/overlay/robot";
import { points } from "../../src/overlay/sparkline";
import { arm } from "./samples";

test("classes are counted: covered, uncovered, rest of the human, nothing", () => {
  const mask = new Uint8Array([255, 255, 0, 255, 255, 255, 0, 255, 255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 0, 255]);
  expect(count(mask)).toEqual({ covered: 0.4, uncovered: 0.2, human: 0.2, ratio: 2 / 3 });
});

test("without a robot arm in sight there is no ratio", () => {
  expect(count(new Uint8Array([0, 255, 0, 255])).ratio).toBeUndefined();
});

test("the ratio counts links that begin with a side, or all where none does", () => {
  expect(armsOf(["base", "left_arm_link1", "head_eye_left", "right_hand_root"])).toEqual([false, true, false, true]);
  expect(armsOf(["a", "b"])).toEqual([true, true]);
});

test("figures of an arm: millimetres, factors, and what deserves a look", () => {
  const figures = armFigures(arm({ elbow_off: 1e-12, wrist_off: 0.0345, stretch_upper: 1.5, status: "held" }));
  expect(figures).toEqual([["0", ""], ["35", "odd"], ["1.50", "odd"], ["1.00", ""], ["held", "bad"]]);
});

test("rates and quantiles forget", () => {
  const rate = new Rate();
  for (let now = 0; now < 2000; now += 10) rate.add(now);
  expect(rate.perSecond(1990)).toBe(101);
  expect(rate.perSecond(9000)).toBe(0);
  const quantiles = new Quantiles(100);
  expect(quantiles.get()).toBeUndefined();
  for (let value = 0; value < 300; value++) quantiles.add(value % 100);
  expect(quantiles.get()).toEqual({ p50: 50, p95: 95 });
});

test("the sparkline ends at the right edge and leaves unknown values out", () => {
  expect(points([0, undefined, 1], 3)).toBe("0.0,31.0 120.0,1.0");
});

test("a picture that fills the page: the shown field of view follows the crop", () => {
  const vertical = (across: number, aspect: number) => (Math.atan(Math.tan((across * Math.PI) / 360) / aspect) * 360) / Math.PI;
  // As wide as the page: nothing is cropped.
  expect(shownFov(60, 4 / 3, 4 / 3)).toBeCloseTo(vertical(60, 4 / 3), 9);
  // A wider page crops above and below.
  expect(shownFov(60, 4 / 3, 2)).toBeCloseTo(vertical(60, 2), 9);
  // A taller page crops the sides: the full height stays.
  expect(shownFov(60, 4 / 3, 0.5)).toBeCloseTo(vertical(60, 4 / 3), 9);
});
