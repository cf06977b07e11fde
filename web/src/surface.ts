import type { AvatarState, Event as AvatarEvent, ModeName, OperatorFrame, TaskState, Welcome } from "./messages";
import type { Connection, Role } from "./link/link";
import type { VideoFrameCallback } from "./video";

/**
 * `window.elsewhere`: what tests and the curious may read. Nothing here drives the avatar; tests
 * drive the page as a person does, through mouse, keys, gamepad or an emulated headset.
 */
export interface Surface {
  /** A fresh snapshot at each reading. */
  readonly state: {
    /** "connected" once both data channels are open. */
    connection: Connection;
    role: Role;
    /** Mode that the avatar reports, undefined before its first state. */
    mode: ModeName | undefined;
    /** Clutches in the last frame that was sent. */
    clutched: { left: boolean; right: boolean };
    /** Number of the last frame that was sent; compare with `lastState.frame_seq`. */
    frameSeq: number;
    lastFrame: OperatorFrame | undefined;
    lastState: AvatarState | undefined;
    welcome: Welcome | undefined;
    task: TaskState | undefined;
    events: readonly AvatarEvent[];
    /** Video frames shown in the last second. */
    fps: number;
    /** Smoothed age of the shown picture [ms]. */
    videoAgeMs: number | undefined;
    /** `AvatarState.frame_age_ms`. */
    commandDelayMs: number | undefined;
    /** Avatar's clock minus `performance.now()`, and the round trip it was measured with [ms]. */
    clock: { offsetMs: number; roundTripMs: number } | undefined;
    /** Whether a headset session runs. */
    vr: boolean;
  };
  /** Calls back with what `requestVideoFrameCallback` says of every shown frame; returns how to stop. */
  onVideoFrame(callback: VideoFrameCallback): () => void;
}

declare global {
  interface Window {
    readonly elsewhere: Surface;
  }
}

export function expose(read: () => Surface["state"], onVideoFrame: Surface["onVideoFrame"]): void {
  const surface: Surface = {
    get state() {
      return Object.freeze(read());
    },
    onVideoFrame,
  };
  Object.defineProperty(window, "elsewhere", { value: Object.freeze(surface) });
}
