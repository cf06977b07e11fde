/** What a key does while it is held. */
export type Held =
  | "clutch"
  | "handForward" | "handBack" | "handLeft" | "handRight" | "handUp" | "handDown"
  | "close" | "open"
  | "baseForward" | "baseBack" | "baseLeft" | "baseRight" | "baseTurnLeft" | "baseTurnRight"
  | "fast"
  | "lookUp" | "lookDown" | "lookLeft" | "lookRight";

/** What a key does once, when it is pressed. */
export type Pressed =
  | "selectLeft" | "selectRight" | "selectBoth"
  | "rehome" | "rehomeOrResume" | "reset" | "stop" | "resume" | "help" | "fit" | "sound";

/** By the key's place on the board (`KeyboardEvent.code`), so that W A S D lie together on every layout. */
export const HELD: Record<string, Held> = {
  Space: "clutch",
  KeyI: "handForward", KeyK: "handBack", KeyJ: "handLeft", KeyL: "handRight", KeyU: "handUp", KeyO: "handDown",
  KeyF: "close", KeyG: "open",
  KeyW: "baseForward", KeyS: "baseBack", KeyA: "baseLeft", KeyD: "baseRight",
  ShiftLeft: "fast", ShiftRight: "fast",
  KeyQ: "baseTurnLeft", KeyE: "baseTurnRight",
  ArrowUp: "lookUp", ArrowDown: "lookDown", ArrowLeft: "lookLeft", ArrowRight: "lookRight",
};

export const PRESSED: Record<string, Pressed> = {
  Digit1: "selectLeft", Digit2: "selectRight", Digit3: "selectBoth",
  Numpad1: "selectLeft", Numpad2: "selectRight", Numpad3: "selectBoth",
  KeyH: "rehome", KeyR: "reset", KeyX: "stop", Escape: "stop", Enter: "resume", NumpadEnter: "resume",
  KeyV: "fit", KeyM: "sound",
};

/** The action of a key press, or nothing. The question mark moves between layouts, so it goes by its sign. */
export function pressedAction(event: { code: string; key: string }): Pressed | undefined {
  return event.key === "?" ? "help" : PRESSED[event.code];
}

/** +1, 0 or -1 for a pair of held keys. */
export function axis(held: ReadonlySet<Held>, plus: Held, minus: Held): number {
  return Number(held.has(plus)) - Number(held.has(minus));
}
