/**
 * A held button that must be let go before it counts again: after a release (the window lost focus,
 * tracking was lost) a button that is still down does not take the clutch by itself.
 */
export class Latch {
  private armed = false;

  /** Whether the button counts as held now. */
  read(down: boolean): boolean {
    if (!down) this.armed = true;
    return down && this.armed;
  }

  disarm(): void {
    this.armed = false;
  }
}

/** True once for each press. */
export class Edge {
  private was = true;

  read(down: boolean): boolean {
    const pressed = down && !this.was;
    this.was = down;
    return pressed;
  }
}
