import type { Vector3 } from "../messages";
import { nowNs } from "../link/clock";
import { baseTwist } from "./base";
import { Gamepads } from "./gamepad";
import { Keyboard } from "./keyboard";
import { axis, type Pressed } from "./keymap";
import { Look } from "./look";
import { Pointer, type PointerMode } from "./pointer";
import type { Intent, Source } from "./source";
import { VirtualHand } from "./virtualHand";

export type Selection = "left" | "right" | "both";

const METRES_PER_PIXEL = 0.9e-3;
const METRES_PER_WHEEL_PIXEL = 0.2e-3;
const TURN_PER_PIXEL = 0.006;
const LOOK_PER_PIXEL = 0.0022;
const KEY_SPEED = 0.12;
const STICK_SPEED = 0.22;
const STICK_TURN = 0.8;
const LOOK_SPEED = 0.9;
const FINGER_SPEED = 1.4;
const LONGEST_STEP = 0.05;

/** Mouse, keyboard and gamepad as one source of intents. */
export class Desktop implements Source {
  readonly hands: [VirtualHand, VirtualHand] = [new VirtualHand([0.45, 0.25, 1]), new VirtualHand([0.45, -0.25, 1])];
  readonly look = new Look();
  selection: Selection = "right";
  /** Called at once when a clutch is taken or let go, so that it need not wait for the next tick. */
  onChange: () => void = () => undefined;
  /** Called when the mouse has moved a hand or the head. */
  onMove: () => void = () => undefined;
  private readonly keyboard: Keyboard;
  private readonly pointer: Pointer;
  private readonly gamepads = new Gamepads();
  private padClutch: [boolean, boolean] = [false, false];
  private twist: Vector3 = [0, 0, 0];
  private last = performance.now();

  constructor(
    view: HTMLElement,
    private readonly onPress: (action: Pressed) => void,
  ) {
    const change = () => {
      this.updateClutch();
      this.onChange();
    };
    this.keyboard = new Keyboard((action) => this.press(action), change);
    this.pointer = new Pointer(view, {
      drag: (mode, dx, dy) => this.drag(mode, dx, dy),
      look: (dx, dy) => this.look.turn(-dx * LOOK_PER_PIXEL, dy * LOOK_PER_PIXEL),
      wheel: (pixels) => this.move([-pixels * METRES_PER_WHEEL_PIXEL, 0, 0]),
      moved: () => this.onMove(),
      change,
    });
  }

  select(selection: Selection): void {
    this.selection = selection;
    this.updateClutch();
  }

  sample(): Intent {
    const now = performance.now();
    this.integrate(Math.min(LONGEST_STEP, (now - this.last) / 1000));
    this.last = now;
    return {
      sampledNs: nowNs(),
      left: this.hands[0].input(),
      right: this.hands[1].input(),
      head: { tracked: true, orientation: this.look.orientation },
      base_twist: this.twist,
    };
  }

  release(): void {
    this.keyboard.release();
    this.pointer.release();
    this.gamepads.release();
    this.padClutch = [false, false];
    this.twist = [0, 0, 0];
    this.updateClutch();
  }

  private press(action: Pressed): void {
    if (action === "selectLeft") this.select("left");
    else if (action === "selectRight") this.select("right");
    else if (action === "selectBoth") this.select("both");
    else this.onPress(action);
  }

  private selected(side: number): boolean {
    return this.selection === "both" || this.selection === (side === 0 ? "left" : "right");
  }

  private updateClutch(): void {
    const held = this.keyboard.held.has("clutch") || this.pointer.clutch;
    this.hands.forEach((hand, side) => {
      hand.clutch = (held && this.selected(side)) || this.padClutch[side]!;
    });
  }

  private move(delta: Vector3): void {
    for (const hand of this.hands) hand.move(delta, this.look.yaw);
  }

  private turn(angles: Vector3): void {
    for (const hand of this.hands) hand.turn(angles, this.look.yaw);
  }

  private drag(mode: PointerMode, dx: number, dy: number): void {
    if (mode === "move") this.move([0, -dx * METRES_PER_PIXEL, -dy * METRES_PER_PIXEL]);
    else if (mode === "turn") this.turn([0, dy * TURN_PER_PIXEL, -dx * TURN_PER_PIXEL]);
    else {
      this.turn([dx * TURN_PER_PIXEL, 0, 0]);
      this.move([-dy * METRES_PER_PIXEL, 0, 0]);
    }
  }

  private integrate(dt: number): void {
    const held = this.keyboard.held;
    const step = KEY_SPEED * dt;
    this.move([
      axis(held, "handForward", "handBack") * step,
      axis(held, "handLeft", "handRight") * step,
      axis(held, "handUp", "handDown") * step,
    ]);
    this.look.turn(axis(held, "lookLeft", "lookRight") * LOOK_SPEED * dt, axis(held, "lookDown", "lookUp") * LOOK_SPEED * dt);
    const fingers = axis(held, "close", "open") * FINGER_SPEED * dt;
    this.hands.forEach((hand, side) => this.selected(side) && hand.setClosed(hand.closed + fingers));
    const wanted = [
      axis(held, "baseForward", "baseBack"),
      axis(held, "baseLeft", "baseRight"),
      axis(held, "baseTurnLeft", "baseTurnRight"),
    ];
    this.pad(dt, wanted);
    this.twist = baseTwist(wanted, held.has("fast"));
  }

  /** Sticks move clutched hands; with no bumper held they drive the base and look around. */
  private pad(dt: number, wanted: number[]): void {
    const pad = this.gamepads.read();
    if (!pad) return;
    if (pad.stop) this.onPress("stop");
    if (pad.rehome) this.onPress("rehomeOrResume");
    pad.fingers.forEach((closed, side) => closed !== undefined && this.hands[side]!.setClosed(closed));
    if (String(pad.clutch) !== String(this.padClutch)) {
      this.padClutch = pad.clutch;
      this.updateClutch();
    }
    wanted[2]! += pad.turn;
    if (pad.clutch[0] || pad.clutch[1]) {
      const step = STICK_SPEED * dt;
      this.move([pad.left.y * step, -pad.left.x * step, pad.right.y * step]);
      this.turn([0, 0, -pad.right.x * STICK_TURN * dt]);
    } else {
      wanted[0]! += pad.left.y;
      wanted[1]! -= pad.left.x;
      this.look.turn(-pad.right.x * LOOK_SPEED * dt, -pad.right.y * LOOK_SPEED * dt);
    }
  }
}
