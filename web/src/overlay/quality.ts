/** Shares of the screen's pixels in each direction. */
const SCALES = [1, 0.75, 0.5] as const;
const WATCHED = 20;
/** Slower than this in the mean, and the next smaller picture is drawn [ms a frame]. */
const SLOW_MS = 1000 / 24;

/** A smaller picture has to be this much quicker, or it is not worth its look. */
const WORTH = 0.85;

/** Decides how many pixels are drawn: fewer while that helps a slow machine. It never grows and shrinks by turns. */
export class Quality {
  private level = 0;
  private settled = false;
  private before = Infinity;
  private times: number[] = [];

  get scale(): number {
    return SCALES[this.level]!;
  }

  /** Tell it of every picture; whether the scale has changed. Time is an argument. */
  drawn(nowMs: number): boolean {
    // A tab that nobody looks at is drawn seldom: that is no measure.
    if (this.times.length > 0 && nowMs - this.times.at(-1)! > 2000) this.times = [];
    this.times.push(nowMs);
    if (this.times.length <= WATCHED || this.settled) return false;
    const mean = (nowMs - this.times[0]!) / WATCHED;
    this.times = [];
    if (this.level > 0 && mean > WORTH * this.before) {
      this.settled = true;
      this.level -= 1;
      return true;
    }
    if (mean < SLOW_MS || this.level === SCALES.length - 1) return false;
    this.before = mean;
    this.level += 1;
    return true;
  }
}

/** Whether this browser paints 3D pictures by the processor: then smooth edges cost more than they give. */
export function drawsInSoftware(): boolean {
  const gl = document.createElement("canvas").getContext("webgl2");
  const info = gl?.getExtension("WEBGL_debug_renderer_info");
  const name = info ? String(gl!.getParameter(info.UNMASKED_RENDERER_WEBGL)) : "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software/i.test(name);
}
