import { pastDeadZone } from "../controls/gamepad";
import { Edge } from "../controls/latch";
import { byId } from "../hud/dom";

/** What a person does to the robot's place: turn [rad], shift [m] to the right, up, away. */
export interface PlaceMotion {
  turn: number;
  right: number;
  up: number;
  away: number;
}

const STICK_X = 2, STICK_Y = 3, SQUEEZE = 1;
const TURN_RAD_S = 0.8;
const SHIFT_M_S = 0.25;
const NUDGES: Record<string, Partial<PlaceMotion>> = {
  "ar-turn-left": { turn: 0.05 },
  "ar-turn-right": { turn: -0.05 },
  "ar-left": { right: -0.01 },
  "ar-right": { right: 0.01 },
  "ar-up": { up: 0.01 },
  "ar-down": { up: -0.01 },
  "ar-away": { away: 0.01 },
  "ar-near": { away: -0.01 },
};

/** Sticks of a headset, buttons and two fingers on a phone: what moves the robot's place in AR. */
export class ArInput {
  private pending: PlaceMotion = still();
  private readonly squeezed = { left: new Edge(), right: new Edge() };
  private readonly fingers = new Map<number, PointerEvent>();
  private readonly off = new AbortController();

  constructor(
    root: HTMLElement,
    private readonly placeAgain: () => void,
    leave: () => void,
  ) {
    const { signal } = this.off;
    for (const [id, nudge] of Object.entries(NUDGES)) byId(id).addEventListener("click", () => this.add(nudge), { signal });
    byId("ar-again").addEventListener("click", placeAgain, { signal });
    byId("ar-leave").addEventListener("click", leave, { signal });
    // A tap on a button is no tap on the room.
    for (const button of root.querySelectorAll("button, label")) button.addEventListener("beforexrselect", (event) => event.preventDefault(), { signal });
    root.addEventListener("pointerdown", (event) => this.fingers.set(event.pointerId, event), { signal });
    root.addEventListener("pointermove", (event) => this.twist(event), { signal });
    for (const end of ["pointerup", "pointercancel"] as const) root.addEventListener(end, (event) => this.fingers.delete(event.pointerId), { signal });
  }

  /** Everything since the last time; `elapsedS` scales the sticks. */
  take(inputs: Iterable<XRInputSource>, elapsedS: number): PlaceMotion | undefined {
    for (const { handedness, gamepad } of inputs) {
      if (!gamepad || handedness === "none") continue;
      const [x, y] = [pastDeadZone(gamepad.axes[STICK_X] ?? 0), pastDeadZone(gamepad.axes[STICK_Y] ?? 0)];
      if (this.squeezed[handedness].read(gamepad.buttons[SQUEEZE]?.pressed ?? false)) this.placeAgain();
      // Sticks: right and down positive. The right one turns and lifts, the left one shifts on the floor.
      if (handedness === "right") this.add({ turn: -x * TURN_RAD_S * elapsedS, up: -y * SHIFT_M_S * elapsedS });
      else this.add({ right: x * SHIFT_M_S * elapsedS, away: -y * SHIFT_M_S * elapsedS });
    }
    const motion = this.pending;
    this.pending = still();
    return Object.values(motion).some((value) => value !== 0) ? motion : undefined;
  }

  dispose(): void {
    this.off.abort();
  }

  private add(motion: Partial<PlaceMotion>): void {
    for (const [key, value] of Object.entries(motion)) this.pending[key as keyof PlaceMotion] += value;
  }

  private twist(event: PointerEvent): void {
    const before = this.fingers.get(event.pointerId);
    const other = [...this.fingers.values()].find((each) => each.pointerId !== event.pointerId);
    if (before && other) {
      const angle = (at: PointerEvent) => Math.atan2(at.clientY - other.clientY, at.clientX - other.clientX);
      const turned = angle(event) - angle(before);
      // On the screen y points down: clockwise there is clockwise seen from above.
      this.add({ turn: -Math.atan2(Math.sin(turned), Math.cos(turned)) });
    }
    if (before) this.fingers.set(event.pointerId, event);
  }
}

function still(): PlaceMotion {
  return { turn: 0, right: 0, up: 0, away: 0 };
}
