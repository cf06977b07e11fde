import { HELD, pressedAction, type Held, type Pressed } from "./keymap";

/** Keys that are down, and calls for keys that are pressed. Silent while a dialog or a control has the keyboard. */
export class Keyboard {
  readonly held = new Set<Held>();

  constructor(
    private readonly onPress: (action: Pressed) => void,
    private readonly onChange: () => void,
  ) {
    window.addEventListener("keydown", (event) => this.down(event));
    window.addEventListener("keyup", (event) => this.up(event));
  }

  private down(event: KeyboardEvent): void {
    // Only who moves the focus by keyboard needs to see it on the view.
    if (event.code === "Tab") document.body.classList.add("tabbing");
    if (document.querySelector("dialog[open]")) return;
    const action = pressedAction(event);
    // Stop works wherever the focus is.
    if (action !== "stop" && belongsToControl(event)) return;
    if (event.metaKey) return;
    const held = HELD[event.code];
    if (!held && !action) return;
    // Otherwise arrows scroll, space pages and Ctrl+D makes a bookmark while one drives.
    event.preventDefault();
    if (event.repeat) return;
    if (held && !this.held.has(held)) {
      this.held.add(held);
      this.onChange();
    } else if (action && !event.ctrlKey && !event.altKey) {
      this.onPress(action);
    }
  }

  private up(event: KeyboardEvent): void {
    const held = HELD[event.code];
    if (held && this.held.delete(held)) this.onChange();
  }

  release(): void {
    this.held.clear();
  }
}

/** A focused button keeps Space and Enter, a focused slider the arrows; all other keys still drive. */
function belongsToControl({ target, code }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return code.startsWith("Arrow");
  if (target instanceof HTMLButtonElement) return code === "Space" || code.endsWith("Enter");
  return false;
}
