import { Edge, Latch } from "./latch";

/** What a gamepad of the standard mapping says, sticks right and up positive. */
export interface PadReading {
  clutch: [boolean, boolean];
  left: { x: number; y: number };
  right: { x: number; y: number };
  turn: number;
  /** Trigger of each side, or undefined while it rests. */
  fingers: [number | undefined, number | undefined];
  rehome: boolean;
  stop: boolean;
}

const A = 0, B = 1, BUMPERS = [4, 5], TRIGGERS = [6, 7], DPAD_LEFT = 14, DPAD_RIGHT = 15;
const DEAD = 0.12;

export class Gamepads {
  private readonly clutches = [new Latch(), new Latch()];
  private readonly rehome = new Edge();
  private readonly stop = new Edge();
  private readonly squeezed = [false, false];
  private present = false;

  constructor() {
    const look = () => (this.present = navigator.getGamepads().some((pad) => pad !== null));
    window.addEventListener("gamepadconnected", look);
    window.addEventListener("gamepaddisconnected", look);
  }

  read(): PadReading | undefined {
    if (!this.present) return undefined;
    const pad = navigator.getGamepads().find((each) => each?.connected && each.mapping === "standard");
    if (!pad) return undefined;
    const down = (index: number) => pad.buttons[index]?.pressed ?? false;
    const stick = (index: number) => pastDeadZone(pad.axes[index] ?? 0);
    return {
      clutch: [this.clutches[0]!.read(down(BUMPERS[0]!)), this.clutches[1]!.read(down(BUMPERS[1]!))],
      left: { x: stick(0), y: -stick(1) },
      right: { x: stick(2), y: -stick(3) },
      turn: Number(down(DPAD_LEFT)) - Number(down(DPAD_RIGHT)),
      fingers: [this.trigger(pad, 0), this.trigger(pad, 1)],
      rehome: this.rehome.read(down(A)),
      stop: this.stop.read(down(B)),
    };
  }

  /** A trigger sets the fingers from its first touch until it has opened them again; then keys may. */
  private trigger(pad: Gamepad, side: number): number | undefined {
    const value = pad.buttons[TRIGGERS[side]!]?.value ?? 0;
    const was = this.squeezed[side];
    this.squeezed[side] = value > 0.02;
    return value > 0.02 || was ? value : undefined;
  }

  release(): void {
    for (const clutch of this.clutches) clutch.disarm();
  }
}

export function pastDeadZone(value: number): number {
  const past = Math.abs(value) - DEAD;
  return past <= 0 ? 0 : (Math.sign(value) * past) / (1 - DEAD);
}
