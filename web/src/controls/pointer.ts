/** How a mouse motion is meant, by the keys held with it. */
export type PointerMode = "move" | "turn" | "roll";

export interface PointerTarget {
  /** A motion in pixels, right and down positive, while a hand is or may be clutched. */
  drag(mode: PointerMode, dx: number, dy: number): void;
  look(dx: number, dy: number): void;
  wheel(pixels: number): void;
  /** After any of the three. */
  moved(): void;
  change(): void;
}

const LEFT = 1;
const RIGHT = 2;

/** Mouse, pen or finger on the avatar's view. The left button is a clutch; the right one looks. */
export class Pointer {
  clutch = false;
  private looking = false;
  private last?: { x: number; y: number };

  constructor(private readonly view: HTMLElement, private readonly target: PointerTarget) {
    view.addEventListener("pointerdown", (event) => this.down(event));
    window.addEventListener("pointerup", (event) => this.buttons(event.buttons));
    window.addEventListener("pointercancel", () => this.buttons(0));
    view.addEventListener("lostpointercapture", (event) => this.buttons(event.buttons));
    // Raw updates come at once, ordinary moves with the next painted frame. Both are differences
    // from the last known place, so hearing both counts nothing twice.
    window.addEventListener("pointerrawupdate" as "pointermove", (event) => this.move(event));
    window.addEventListener("pointermove", (event) => this.move(event));
    view.addEventListener("contextmenu", (event) => event.preventDefault());
    view.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
  }

  private down(event: PointerEvent): void {
    event.preventDefault();
    this.view.focus({ preventScroll: true });
    this.view.setPointerCapture(event.pointerId);
    this.last = { x: event.clientX, y: event.clientY };
    this.buttons(event.buttons);
  }

  private buttons(buttons: number): void {
    const clutch = (buttons & LEFT) !== 0;
    const changed = clutch !== this.clutch;
    this.clutch = clutch;
    this.looking = (buttons & RIGHT) !== 0;
    if (changed) this.target.change();
  }

  private move(event: PointerEvent): void {
    const last = this.last;
    this.last = { x: event.clientX, y: event.clientY };
    if (!last) return;
    // A button that went up outside the window.
    if (this.clutch && (event.buttons & LEFT) === 0) this.buttons(event.buttons);
    const dx = event.clientX - last.x;
    const dy = event.clientY - last.y;
    if (dx === 0 && dy === 0) return;
    if (this.looking) this.target.look(dx, dy);
    else this.target.drag(event.shiftKey ? "turn" : event.ctrlKey || event.altKey ? "roll" : "move", dx, dy);
    this.target.moved();
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : 33;
    this.target.wheel((event.deltaY || event.deltaX) * unit);
    this.target.moved();
  }

  release(): void {
    this.clutch = this.looking = false;
  }
}
