import type { HumanAnnotation, OverlayArm, OverlayFrame, OverlaySolved, OverlayWelcome, Quaternion, Vector3 } from "../../src/messages";
import type { RestJoint } from "../../src/overlay/dress";
import type { HumanRig } from "../../src/overlay/rig";

const HALF = Math.SQRT1_2;
export const IDENTITY: Quaternion = [1, 0, 0, 0];

/** A person in T-pose, palms down: shoulders 0.2 m from the middle, segments of 0.3 and 0.25 m. */
export const HUMAN: HumanAnnotation = {
  arms: [1, -1].map((sign) => ({
    shoulder: [0, 0.2 * sign, 1.4] as Vector3,
    elbow: [0, 0.5 * sign, 1.4] as Vector3,
    wrist: [0, 0.75 * sign, 1.4] as Vector3,
    elbow_axis: [0, 0, -sign] as Vector3,
    wrist_vector: [0, 0, -1] as Vector3,
  })) as HumanAnnotation["arms"],
  hand_q: [
    [HALF, 0, 0, HALF],
    [HALF, 0, 0, -HALF],
  ],
};

export const JOINTS: RestJoint[] = [
  { name: "hips", parent: -1, position: [0, 0, 0.9] },
  { name: "chest", parent: 0, position: [0, 0, 1.3] },
  { name: "left_shoulder", parent: 1, position: [0, 0.1, 1.4] },
  { name: "left_upper_arm", parent: 2, position: [0, 0.2, 1.4] },
  { name: "left_forearm", parent: 3, position: [0, 0.5, 1.4] },
  { name: "left_hand", parent: 4, position: [0, 0.75, 1.4] },
  { name: "left_index_1", parent: 5, position: [0.02, 0.83, 1.4] },
  { name: "left_index_2", parent: 6, position: [0.02, 0.86, 1.4] },
  { name: "left_index_tip", parent: 7, position: [0.02, 0.88, 1.4] },
  { name: "right_upper_arm", parent: 1, position: [0, -0.2, 1.4] },
  { name: "right_forearm", parent: 9, position: [0, -0.5, 1.4] },
  { name: "right_hand", parent: 10, position: [0, -0.75, 1.4] },
  { name: "right_thumb_1", parent: 11, position: [0.04, -0.78, 1.4] },
  { name: "left_upper_arm_twist_1", parent: 3, position: [0, 0.2, 1.4] },
  { name: "left_forearm_twist_1", parent: 4, position: [0, 0.5, 1.4] },
  { name: "left_forearm_twist_5", parent: 4, position: [0, 0.75, 1.4] },
  { name: "left_elbow", parent: 3, position: [0, 0.5, 1.4] },
];

/** Palms down, fingers close about the axis that leads from the left arm's fingertips forward: -x for the left hand. */
export const RIG: HumanRig = {
  hinges: {
    left_index_1: { side: 0, group: 1, axis: [-1, 0, 0], share: 0.5 },
    left_index_2: { side: 0, group: 1, axis: [-1, 0, 0], share: 0.25 },
    right_thumb_1: { side: 1, group: 0, axis: [0, 0, -1], share: 1 },
  },
  helpers: {
    left_upper_arm_twist_1: { side: 0, kind: "twist", bone: "upper_arm", share: 0, own_share: 1 },
    left_forearm_twist_1: { side: 0, kind: "twist", bone: "forearm", share: 0, own_share: 0.4 },
    left_forearm_twist_5: { side: 0, kind: "twist", bone: "forearm", share: 1, own_share: 0.4 },
    left_elbow: { side: 0, kind: "halfway", bone: "forearm", share: 0, own_share: 0.4 },
  },
};

export function arm(change: Partial<OverlayArm> = {}): OverlayArm {
  return { shoulder_q: IDENTITY, elbow_q: IDENTITY, wrist_q: IDENTITY, stretch_upper: 1, stretch_fore: 1, elbow_off: 0, wrist_off: 0, status: "ok", ...change };
}

export function solved(left: Partial<OverlayArm> = {}, change: Partial<OverlaySolved> = {}): OverlaySolved {
  return { body_p: [0, 0, 0], body_q: IDENTITY, arms: [arm(left), arm()], micros: 1, ...change };
}

export const WELCOME = { links: ["base", "left_hand"], solvers: ["onia", "dls"] } as OverlayWelcome;

export function frame(sequence: number, change: Partial<OverlayFrame> = {}): OverlayFrame {
  const points = { shoulder: [0, 0.2, 1] as Vector3, elbow: [0, 0.5, 1] as Vector3, wrist: [0.2, 0.5, 1] as Vector3, hand_q: IDENTITY };
  return {
    type: "OverlayFrame",
    sequence,
    stamp: { sampled_ns: 0, available_ns: 0, device_ns: 0 },
    links_p: [[0, 0, 0], [0.2, 0.5, 1]],
    links_q: [IDENTITY, IDENTITY],
    reference: [points, points],
    opening: [0, 0],
    fingers: [[0, 0, 0], [0, 0, 0]],
    solved: [solved(), solved()],
    fault: "",
    ...change,
  };
}
