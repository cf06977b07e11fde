import { Matrix3, Matrix4, Quaternion as Turn, Vector3 as Point } from "three";
import type { HumanAnnotation, OverlayArm, OverlaySolved, Quaternion, Vector3 } from "../messages";
import type { Helper, Hinge, HumanRig } from "./rig";

// The counterpart of motion/align/dress.py, step by step: from what a solver says to one rest -> posed matrix a joint.

/** A joint of the human model in its default pose, in the model's frame (z up, x forward, y left). */
export interface RestJoint {
  name: string;
  /** Index of the parent, or -1. A parent stands before its children. */
  parent: number;
  position: Vector3;
}

/** Thumb, index and other fingers of the left and of the right hand [rad]. */
export type FingerAngles = readonly [Vector3, Vector3];

type Part = "shoulder" | "upper_arm" | "forearm" | "hand";
const PART = /^(left|right)_(shoulder|upper_arm|forearm|hand)$/;
/** How much of the upper arm's swing the skin over the clavicle follows. */
const CLAVICLE_SHARE = 0.35;

/** What moves a joint. One that the convention does not name (a scan's own bone) goes with its parent. */
type Mover =
  | { kind: "part"; side: 0 | 1; part: Part }
  | { kind: "helper"; helper: Helper }
  | { kind: "hinge"; hinge: Hinge; pivot: Point; axis: Point }
  | { kind: "parent" };

/**
 * Poses the joints of one human model.
 *
 * R_s, R_e and R_w turn default-pose vectors of the body that is already placed, so that
 * elbow = T_body shoulder + R_s R_body S_u d_u and wrist = elbow + R_e R_body S_f d_f (ONIA, eq. 21 and 22). A bone is
 * stretched along itself only, the hand not at all; twist is spread along the bones by the helpers.
 */
export class Dress {
  private readonly movers: Mover[];
  private readonly body = new Matrix4();

  constructor(
    private readonly joints: readonly RestJoint[],
    private readonly human: HumanAnnotation,
    rig: HumanRig,
  ) {
    this.movers = joints.map((joint) => moverOf(joint, rig));
  }

  /** Writes the rest -> posed matrices, in the robot's base frame, into `out`. */
  pose(solved: OverlaySolved, fingers: FingerAngles, out: readonly Matrix4[]): void {
    const turn = turnOf(solved.body_q);
    this.body.makeRotationFromQuaternion(turn).setPosition(...solved.body_p);
    const arms = ([0, 1] as const).map((side) => new PosedArm(this.human.arms[side], solved.arms[side], this.body, turn));
    this.movers.forEach((mover, index) => {
      const matrix = out[index]!;
      const parent = out[this.joints[index]!.parent] ?? this.body;
      if (mover.kind === "part") matrix.copy(arms[mover.side]!.part(mover.part));
      else if (mover.kind === "helper") matrix.copy(arms[mover.helper.side]!.helper(mover.helper));
      else if (mover.kind === "parent") matrix.copy(parent);
      else {
        const { side, group, share } = mover.hinge;
        matrix.multiplyMatrices(parent, hinged(mover.pivot, mover.axis, share * fingers[side][group]));
      }
    });
  }
}

function moverOf({ name, position }: RestJoint, { hinges, helpers }: HumanRig): Mover {
  const [, side, part] = PART.exec(name) ?? [];
  if (part) return { kind: "part", side: side === "right" ? 1 : 0, part: part as Part };
  const helper = helpers[name];
  if (helper) return { kind: "helper", helper };
  const hinge = hinges[name];
  if (hinge) return { kind: "hinge", hinge, pivot: new Point(...position), axis: new Point(...hinge.axis) };
  return { kind: "parent" };
}

/** One arm of one pose: the matrices of its parts and helpers. */
class PosedArm {
  private readonly shoulder: { rest: Point; posed: Point };
  private readonly elbow: { rest: Point; posed: Point };
  private readonly wrist: { rest: Point; posed: Point };
  private readonly upper: Bone;
  private readonly fore: Bone;
  private readonly hand: Turn;
  private readonly clavicle: Turn;
  /** Half of the elbow's bend. */
  private readonly halfway: Turn;

  constructor(rest: HumanAnnotation["arms"][number], arm: OverlayArm, body: Matrix4, bodyTurn: Turn) {
    const [shoulder, elbow, wrist, hinge] = [rest.shoulder, rest.elbow, rest.wrist, rest.elbow_axis].map((v) => new Point(...v)) as [Point, Point, Point, Point];
    const [R_s, R_e, R_w] = [arm.shoulder_q, arm.elbow_q, arm.wrist_q].map(turnOf) as [Turn, Turn, Turn];
    const d_u = elbow.clone().sub(shoulder);
    const d_f = wrist.clone().sub(elbow);
    const [upper, fore] = [R_s.clone().multiply(bodyTurn), R_e.clone().multiply(bodyTurn)];
    const swing = between(turned(d_u, bodyTurn), turned(d_u, upper), turned(hinge, bodyTurn));
    const bend = between(turned(d_f, upper), turned(d_f, fore), turned(hinge, upper));
    const [alongUpper, alongFore] = [turned(d_u, upper).normalize(), turned(d_f, fore).normalize()];
    const bent = turnAbout(bend.axis, bend.angle).multiply(R_s);
    this.upper = {
      turn: upper,
      along: alongUpper,
      stretch: stretch(d_u, arm.stretch_upper),
      own: twist(R_s.clone().multiply(turnAbout(swing.axis, -swing.angle)), alongUpper),
      beyond: 0,
    };
    this.fore = {
      turn: fore,
      along: alongFore,
      stretch: stretch(d_f, arm.stretch_fore),
      own: twist(R_e.clone().multiply(bent.invert()), alongFore),
      beyond: twist(R_w.clone().multiply(R_e.clone().invert()), alongFore),
    };
    this.hand = R_w.clone().multiply(bodyTurn);
    this.clavicle = turnAbout(swing.axis, CLAVICLE_SHARE * swing.angle).multiply(bodyTurn);
    this.halfway = turnAbout(bend.axis, 0.5 * bend.angle).multiply(upper);
    const shoulderAt = shoulder.clone().applyMatrix4(body);
    const elbowAt = turned(d_u, upper).multiplyScalar(arm.stretch_upper).add(shoulderAt);
    const wristAt = turned(d_f, fore).multiplyScalar(arm.stretch_fore).add(elbowAt);
    this.shoulder = { rest: shoulder, posed: shoulderAt };
    this.elbow = { rest: elbow, posed: elbowAt };
    this.wrist = { rest: wrist, posed: wristAt };
  }

  part(part: Part): Matrix4 {
    switch (part) {
      case "shoulder":
        return about(this.clavicle, this.shoulder);
      case "upper_arm":
        return about(this.upper.turn, this.shoulder, this.upper.stretch);
      case "forearm":
        return about(this.fore.turn, this.elbow, this.fore.stretch);
      case "hand":
        return about(this.hand, this.wrist);
    }
  }

  helper(helper: Helper): Matrix4 {
    if (helper.kind === "halfway") return about(this.halfway, this.elbow);
    const [bone, root] = helper.bone === "upper_arm" ? [this.upper, this.shoulder] : [this.fore, this.elbow];
    return about(turnAbout(bone.along, spread(helper, bone)).multiply(bone.turn), root, bone.stretch);
  }
}

interface Bone {
  turn: Turn;
  along: Point;
  stretch: Matrix3;
  /** Its own twist, and what the next bone twists beyond it [rad]. */
  own: number;
  beyond: number;
}

/** How far a helper turns about its bone, relative to the bone's own joint: straight lines through 0, own, own + beyond. */
function spread({ share, own_share }: Helper, { own, beyond }: Bone): number {
  return share <= own_share ? own * (share / own_share - 1) : (beyond * (share - own_share)) / (1 - own_share);
}

export function turnOf([w, x, y, z]: Quaternion): Turn {
  return new Turn(x, y, z, w).normalize();
}

function turnAbout(axis: Point, angle: number): Turn {
  return new Turn().setFromAxisAngle(axis, angle);
}

function turned(v: Point, turn: Turn): Point {
  return v.clone().applyQuaternion(turn);
}

/** Axis and angle of the least rotation from a to b; about `spare` where they are opposite. */
function between(a: Point, b: Point, spare: Point): { axis: Point; angle: number } {
  const [from, to] = [a.clone().normalize(), b.clone().normalize()];
  const axis = from.clone().cross(to);
  const size = axis.length();
  if (size > 1e-9) return { axis: axis.divideScalar(size), angle: Math.atan2(size, from.dot(to)) };
  if (from.dot(to) > 0) return { axis: new Point(0, 0, 1), angle: 0 };
  const square = spare.clone().addScaledVector(from, -spare.dot(from));
  if (square.lengthSq() < 1e-12) square.crossVectors(from, leastAxis(from));
  return { axis: square.normalize(), angle: Math.PI };
}

function leastAxis({ x, y, z }: Point): Point {
  const sizes = [x, y, z].map(Math.abs);
  const least = sizes.indexOf(Math.min(...sizes));
  return new Point(Number(least === 0), Number(least === 1), Number(least === 2));
}

/** Angle of a rotation's part about a unit axis, in (-pi, pi]. */
function twist({ x, y, z, w }: Turn, axis: Point): number {
  const along = x * axis.x + y * axis.y + z * axis.z;
  return 2 * (w < 0 ? Math.atan2(-along, -w) : Math.atan2(along, w));
}

/** I + (S - 1) d d^T: longer along the bone, untouched across it. */
function stretch(bone: Point, factor: number): Matrix3 {
  const { x, y, z } = bone.clone().normalize();
  const s = factor - 1;
  return new Matrix3(1 + s * x * x, s * x * y, s * x * z, s * y * x, 1 + s * y * y, s * y * z, s * z * x, s * z * y, 1 + s * z * z);
}

/** x -> posed + R S (x - rest). */
function about(turn: Turn, { rest, posed }: { rest: Point; posed: Point }, stretched?: Matrix3): Matrix4 {
  const matrix = new Matrix4().makeRotationFromQuaternion(turn);
  if (stretched) matrix.multiply(new Matrix4().setFromMatrix3(stretched));
  const moved = rest.clone().applyMatrix4(matrix);
  return matrix.setPosition(posed.x - moved.x, posed.y - moved.y, posed.z - moved.z);
}

function hinged(pivot: Point, axis: Point, angle: number): Matrix4 {
  return about(turnAbout(axis, angle), { rest: pivot, posed: pivot });
}
