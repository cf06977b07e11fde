import type { OverlayFrame, Vector3 } from "../messages";
import type { Shares } from "./coverage";
import type { FeedState } from "./feed";

/** What tests and the curious may read of the overlay page. Nothing here drives it. */
export interface OverlayState {
  connection: FeedState;
  /** Pictures drawn, poses taken and poses refused since the page was opened (refused: since the last connection). */
  frames: number;
  accepted: number;
  refused: number;
  sequence: number | undefined;
  solver: string | undefined;
  solvers: readonly string[];
  view: string;
  background: string;
  /** The desk's eye in the robot's base frame [m]. */
  eye: Vector3;
  /** Of the human, 0 .. 1. */
  opacity: number;
  shares: Shares | undefined;
  ageMs: { p50: number; p95: number } | undefined;
  fps: number;
  alarm: string;
  /** The drawn human's wrists in the robot's base frame [m]. */
  wrists: (Vector3 | undefined)[];
  marker: { found: boolean; answers: number };
  /** The AR visit, if one runs: where the robot's base stands in the room (y up). */
  ar: { placed: boolean; placing: boolean; at: number[]; yaw: number; anchored: boolean } | undefined;
}

/** What is drawn, to be compared with what Python makes of the same frame. */
export interface DrawnPose {
  frame: OverlayFrame | undefined;
  solver: number;
  /** Rest -> posed matrices of the human's joints, column by column. */
  joints: Record<string, number[]>;
}

/** As `window.elsewhere`: `state` is a fresh snapshot at each reading, `pose()` the drawn human in full. */
export function expose(read: () => OverlayState, pose: () => DrawnPose): void {
  const surface = {
    get state() {
      return Object.freeze(read());
    },
    pose,
  };
  Object.defineProperty(window, "elsewhere", { value: Object.freeze(surface) });
}
