import type { Fingers, HandInput, Quaternion, Vector3 } from "../messages";
import { about, IDENTITY, multiply, normalized, rotate } from "../quaternion";

/**
 * A hand in the operator's room (z up, x forward) that a mouse, keys or sticks move.
 *
 * It moves only while clutched and keeps its pose otherwise, so that taking the clutch again never
 * moves the avatar. Motions are given as seen by the operator: `heading` turns them with the view.
 */
export class VirtualHand {
  position: Vector3;
  orientation: Quaternion = IDENTITY;
  /** 0 open .. 1 closed. */
  closed = 0;
  clutch = false;

  constructor(position: Vector3) {
    this.position = [...position];
  }

  /** Moves by `delta` [m]: forward, left, up. */
  move(delta: Vector3, heading = 0): void {
    if (!this.clutch) return;
    const [dx, dy, dz] = rotate(about([0, 0, 1], heading), delta);
    const [x, y, z] = this.position;
    this.position = [limited(x + dx), limited(y + dy), limited(z + dz)];
  }

  /** Turns by angles [rad] about the operator's own axes: forward (roll), left (pitch), up (yaw). */
  turn([roll, pitch, yaw]: Vector3, heading = 0): void {
    if (!this.clutch) return;
    const view = about([0, 0, 1], heading);
    for (const [axis, angle] of [
      [[1, 0, 0], roll],
      [[0, 1, 0], pitch],
      [[0, 0, 1], yaw],
    ] as [Vector3, number][]) {
      if (angle !== 0) this.orientation = multiply(about(rotate(view, axis), angle), this.orientation);
    }
    this.orientation = normalized(this.orientation);
  }

  /** Opens or closes the fingers: never gated by the clutch, so that a grasp outlives it. */
  setClosed(closed: number): void {
    this.closed = Math.min(1, Math.max(0, closed));
  }

  input(): HandInput {
    return {
      tracked: true,
      clutch: this.clutch,
      position: this.position,
      orientation: this.orientation,
      fingers: allFingers(this.closed),
    };
  }
}

export function allFingers(closed: number): Fingers {
  return [closed, closed, closed, closed, closed, closed];
}

/** The avatar refuses positions that cannot be meant; long drags stay far below. */
function limited(value: number): number {
  return Math.min(50, Math.max(-50, value));
}
