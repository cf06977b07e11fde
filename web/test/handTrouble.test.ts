import { expect, test } from "vitest";
import { baseTwist } from "../src/controls/base";
import { handTrouble } from "../src/modes";
import type { AvatarState, HandState } from "../src/messages";
import { handTroubles } from "../src/vr/status";
import type { Known } from "../src/known";

const hand = (change: Partial<HandState>): HandState => ({ clutched: true, reachable: true, reason: "", ...change }) as HandState;

test("a hand that cannot follow says why, in a sentence", () => {
  expect(handTrouble(hand({ reachable: false, reason: "would touch itself" }))).toBe("Would touch itself");
  expect(handTrouble(hand({ reachable: false, reason: "joint at its limit" }))).toBe("Joint at its limit");
  expect(handTrouble(hand({ reachable: false }))).toBe("Out of reach");
});

test("a hand that follows, or is not taken, says nothing", () => {
  expect(handTrouble(hand({}))).toBe("");
  expect(handTrouble(hand({ clutched: false, reachable: false, reason: "out of reach" }))).toBe("");
  expect(handTrouble(undefined)).toBe("");
});

test("the panel in the headset names the side", () => {
  const state = { left: hand({}), right: hand({ reachable: false, reason: "out of reach" }) } as AvatarState;
  expect(handTroubles({ state } as Known)).toBe("Right: Out of reach");
  expect(handTroubles({ state: { ...state, right: hand({}) } } as unknown as Known)).toBe("");
});

test("more than the normal speed is only asked for in the fast mode", () => {
  expect(baseTwist([1, 0, 0], false)).toEqual([0.2, 0, 0]);
  expect(baseTwist([2, -1, 0.5], true)).toEqual([1, -1, 0.25]);
});
