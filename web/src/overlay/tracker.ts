import { Matrix4, Quaternion as Turn, Vector3 as Point } from "three";
import type { OverlayUp, Tracked, TrackImage } from "../messages";
import { turnOf } from "./dress";
import { near, turn } from "./gate";

const EVERY_MS = 100;
/** A picture that is not answered within this time is given up. */
const ANSWER_MS = 1000;
/** A worse fit of the marker's corners [px] is no sight of it. */
const WORST_PX = 8;

/** One picture for the tracker. `room_eye`: where the camera was in the viewer's room, if that is known. */
export interface Picture {
  width: number;
  height: number;
  jpeg: Uint8Array;
  fovDeg: number;
  timeMs: number;
  room_eye?: Matrix4;
}

/** A found base: its pose in the camera's frame (x right, y down, z forward), and where the camera was. */
export interface Sight {
  camera_base: Matrix4;
  room_eye?: Matrix4;
}

/**
 * The client of the tracker: sends the viewer's pictures, one in flight, about ten a second, and passes on where the
 * robot's base is seen. The relay has smoothed that already.
 */
export class Tracker {
  /** Whether the newest answer found the marker. */
  found = false;
  answers = 0;
  /** Why the relay cannot use our pictures, in words. */
  trouble = "";
  private sequence = 0;
  private waiting?: { sequence: number; sentMs: number; room_eye?: Matrix4 };
  private capturing = false;
  private timer?: number;

  constructor(
    private readonly send: (message: OverlayUp) => boolean,
    private readonly capture: () => Promise<Picture | undefined>,
    private readonly onSight: (sight: Sight) => void,
  ) {}

  start(): void {
    this.timer ??= window.setInterval(() => void this.step(performance.now()), EVERY_MS);
  }

  stop(): void {
    window.clearInterval(this.timer);
    this.timer = undefined;
    this.waiting = undefined;
    this.found = false;
  }

  /** Sends the next picture unless one is still on its way. */
  async step(nowMs: number): Promise<void> {
    if (this.waiting && nowMs - this.waiting.sentMs > ANSWER_MS) {
      this.waiting = undefined;
      this.found = false;
    }
    if (this.waiting || this.capturing) return;
    this.capturing = true;
    try {
      const picture = await this.capture();
      if (!picture) {
        this.found = false;
        return;
      }
      const sequence = ++this.sequence;
      if (this.send(message(sequence, picture))) this.waiting = { sequence, sentMs: nowMs, room_eye: picture.room_eye };
    } finally {
      this.capturing = false;
    }
  }

  read(tracked: Tracked): void {
    if (this.waiting?.sequence !== tracked.sequence) return;
    const { room_eye } = this.waiting;
    this.waiting = undefined;
    this.answers += 1;
    this.trouble = tracked.error ?? "";
    this.found = tracked.found && near(tracked.p) && turn(tracked.q) && tracked.error_px <= WORST_PX && tracked.p[2] > 0;
    if (this.found) this.onSight({ camera_base: rigid(tracked), room_eye });
  }
}

function rigid({ p, q }: Tracked): Matrix4 {
  return new Matrix4().makeRotationFromQuaternion(turnOf(q)).setPosition(...p);
}

function message(sequence: number, { width, height, jpeg, fovDeg, timeMs, room_eye }: Picture): TrackImage {
  const p = new Point();
  const q = new Turn();
  room_eye?.decompose(p, q, new Point());
  const eye: Pick<TrackImage, "eye_p" | "eye_q"> = { eye_p: [p.x, p.y, p.z], eye_q: [q.w, q.x, q.y, q.z] };
  return { type: "TrackImage", sequence, width, height, jpeg, fov_deg: fovDeg, time_ms: timeMs, ...eye };
}
