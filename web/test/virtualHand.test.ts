import { expect, test } from "vitest";
import { VirtualHand } from "../src/controls/virtualHand";
import { rotate } from "../src/quaternion";

test("a hand moves only while clutched, and taking the clutch again does not move it", () => {
  const hand = new VirtualHand([0.4, 0.2, 1]);
  hand.move([1, 1, 1]);
  hand.turn([1, 1, 1]);
  expect(hand.position).toEqual([0.4, 0.2, 1]);
  expect(hand.orientation).toEqual([1, 0, 0, 0]);
  hand.clutch = true;
  hand.move([0.1, 0, 0]);
  const held = hand.input();
  hand.clutch = false;
  hand.move([0.3, 0, 0]);
  hand.clutch = true;
  expect(hand.input().position).toEqual(held.position);
  expect(hand.input().orientation).toEqual(held.orientation);
});

test("motions turn with the view", () => {
  const hand = new VirtualHand([0, 0, 0]);
  hand.clutch = true;
  hand.move([1, 0, 0.5], Math.PI / 2);
  [0, 1, 0.5].forEach((value, i) => expect(hand.position[i]).toBeCloseTo(value, 12));
});

test("pitch lowers the fingers and a thousand turns keep a unit quaternion", () => {
  const hand = new VirtualHand([0, 0, 0]);
  hand.clutch = true;
  hand.turn([0, 0.5, 0]);
  expect(rotate(hand.orientation, [1, 0, 0])[2]).toBeCloseTo(-Math.sin(0.5), 12);
  for (let i = 0; i < 1000; i++) hand.turn([0.013, -0.02, 0.007], 0.3);
  expect(Math.hypot(...hand.orientation)).toBeCloseTo(1, 12);
});

test("fingers stay within open and closed, clutched or not", () => {
  const hand = new VirtualHand([0, 0, 0]);
  hand.setClosed(1.4);
  expect(hand.input().fingers).toEqual([1, 1, 1, 1, 1, 1]);
  hand.setClosed(-1);
  expect(hand.input().fingers).toEqual([0, 0, 0, 0, 0, 0]);
});
