import type { PerspectiveCamera } from "three";
import type { Vector3 } from "../messages";
import { positionToXr } from "../vr/axes";

export type Preset = "front" | "side" | "own";

const NEAREST_M = 0.3;
const FARTHEST_M = 6;
const STEEPEST = 1.45;
const DRAG = 0.006; // rad a pixel
const KEY = 0.08; // rad a press
const ZOOM = 1.12;

/**
 * Angles [rad], distance [m], the offset of what is looked at from the middle of the shoulders, and the upright field
 * of view. Yaw 0 looks the robot in the face; its own eye stands before the human's face, which would hide the arms.
 */
const PRESETS: Record<Preset, { yaw: number; pitch: number; distance: number; offset: Vector3; fovDeg: number }> = {
  front: { yaw: 0, pitch: 0.1, distance: 1.75, offset: [0.1, 0, -0.1], fovDeg: 42 },
  side: { yaw: -Math.PI / 2, pitch: 0.12, distance: 1.75, offset: [0.15, 0, -0.1], fovDeg: 42 },
  own: { yaw: Math.PI, pitch: 0.95, distance: 0.72, offset: [0.57, 0, -0.27], fovDeg: 74 },
};

/** The eye that looks on at the desk: it circles a point, in the robot's base frame. */
export class Eye {
  yaw = 0;
  pitch = 0;
  distance = 2;
  fovDeg = 42;
  private target: Vector3 = [0, 0, 1];
  private shoulders: Vector3 = [0, 0, 1.2];
  private preset?: Preset = "front";
  private readonly pointers = new Map<number, PointerEvent>();

  constructor(private readonly onMove: () => void) {
    this.choose("front");
  }

  /** Where the robot's shoulders are: presets look there. */
  around(shoulders: Vector3): void {
    const moved = Math.hypot(...shoulders.map((value, axis) => value - this.shoulders[axis]!));
    if (moved < 0.02) return;
    this.shoulders = shoulders;
    if (this.preset) this.choose(this.preset);
  }

  choose(preset: Preset): void {
    const { offset, ...rest } = PRESETS[preset];
    Object.assign(this, rest);
    this.target = this.shoulders.map((value, axis) => value + offset[axis]!) as Vector3;
    this.preset = preset;
    this.onMove();
  }

  get chosen(): Preset | undefined {
    return this.preset;
  }

  turn(yaw: number, pitch: number): void {
    this.yaw += yaw;
    this.pitch = Math.max(-STEEPEST, Math.min(STEEPEST, this.pitch + pitch));
    this.left();
  }

  zoom(factor: number): void {
    this.distance = Math.max(NEAREST_M, Math.min(FARTHEST_M, this.distance * factor));
    this.left();
  }

  /** Shifts what is looked at, by metres to the right and up on the screen. */
  shift(right: number, up: number): void {
    const [x, y, z] = this.target;
    this.target = [x - Math.sin(this.yaw) * right, y + Math.cos(this.yaw) * right, z + up];
    this.left();
  }

  private left(): void {
    this.preset = undefined;
    this.onMove();
  }

  get position(): Vector3 {
    const { yaw, pitch, distance, target } = this;
    return [
      target[0] + distance * Math.cos(pitch) * Math.cos(yaw),
      target[1] + distance * Math.cos(pitch) * Math.sin(yaw),
      target[2] + distance * Math.sin(pitch),
    ];
  }

  aim(camera: PerspectiveCamera): void {
    const at = positionToXr(this.position);
    const to = positionToXr(this.target);
    camera.position.set(at.x, at.y, at.z);
    camera.up.set(0, 1, 0);
    camera.fov = this.fovDeg;
    camera.updateProjectionMatrix();
    camera.lookAt(to.x, to.y, to.z);
  }

  /** Whether the key was one of the eye's. */
  key(name: string): boolean {
    switch (name) {
      case "ArrowLeft":
        this.turn(-KEY, 0);
        return true;
      case "ArrowRight":
        this.turn(KEY, 0);
        return true;
      case "ArrowUp":
        this.turn(0, KEY);
        return true;
      case "ArrowDown":
        this.turn(0, -KEY);
        return true;
      case "+":
      case "=":
        this.zoom(1 / ZOOM);
        return true;
      case "-":
        this.zoom(ZOOM);
        return true;
      default:
        return false;
    }
  }

  /** One pointer circles (with Shift or the right button it shifts), two pinch. */
  listen(view: HTMLElement): void {
    view.addEventListener("pointerdown", (event) => {
      view.setPointerCapture(event.pointerId);
      this.pointers.set(event.pointerId, event);
    });
    view.addEventListener("pointermove", (event) => this.drag(event));
    for (const end of ["pointerup", "pointercancel"] as const) {
      view.addEventListener(end, (event) => this.pointers.delete(event.pointerId));
    }
    view.addEventListener("contextmenu", (event) => event.preventDefault());
    view.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        this.zoom(Math.exp(Math.sign(event.deltaY) * Math.min(Math.abs(event.deltaY), 120) * 0.001));
      },
      { passive: false },
    );
  }

  private drag(event: PointerEvent): void {
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    const other = [...this.pointers.values()].find((each) => each.pointerId !== event.pointerId);
    const [dx, dy] = [event.clientX - before.clientX, event.clientY - before.clientY];
    this.pointers.set(event.pointerId, event);
    if (other) {
      const span = (at: PointerEvent) => Math.max(20, Math.hypot(at.clientX - other.clientX, at.clientY - other.clientY));
      this.zoom(span(before) / span(event));
    } else if (event.shiftKey || event.buttons & 2) {
      this.shift(-dx * this.distance * 0.0012, dy * this.distance * 0.0012);
    } else {
      this.turn(-dx * DRAG, dy * DRAG);
    }
  }
}
