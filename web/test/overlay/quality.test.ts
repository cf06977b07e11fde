import { expect, test } from "vitest";
import { Quality } from "../../src/overlay/quality";

/** So many pictures, one every `ms`; how often the scale changed. */
function run(quality: Quality, pictures: number, ms: number, from = 0): number {
  let changes = 0;
  for (let i = 0; i < pictures; i++) changes += Number(quality.drawn(from + i * ms));
  return changes;
}

test("a quick machine draws every pixel", () => {
  const quality = new Quality();
  expect(run(quality, 500, 16)).toBe(0);
  expect(quality.scale).toBe(1);
});

test("a slow one draws fewer while that helps, and not for ever fewer", () => {
  const quality = new Quality();
  expect(run(quality, 21, 200)).toBe(1);
  expect(quality.scale).toBe(0.75);
  expect(run(quality, 21, 120, 5000)).toBe(1);
  expect(quality.scale).toBe(0.5);
  expect(run(quality, 500, 60, 8000)).toBe(0);
});

test("where fewer pixels do not help, it goes back and stays", () => {
  const quality = new Quality();
  expect(run(quality, 500, 100)).toBe(2);
  expect(quality.scale).toBe(1);
});

test("a tab that nobody looked at is not slow", () => {
  const quality = new Quality();
  expect(run(quality, 10, 16)).toBe(0);
  expect(run(quality, 20, 5000, 10_000)).toBe(0);
  expect(quality.scale).toBe(1);
});
