const WIDTH = 120;
const HEIGHT = 32;
const EDGE = 1;

/** The last values, each 0 .. 1 or unknown, as a line. */
export class Sparkline {
  private values: (number | undefined)[] = [];

  constructor(
    private readonly line: SVGPolylineElement,
    private readonly length = 120,
  ) {}

  add(value: number | undefined): void {
    this.values.push(value);
    if (this.values.length > this.length) this.values.shift();
    this.line.setAttribute("points", points(this.values, this.length));
  }
}

/** The newest value stands at the right edge; an unknown one leaves its place out. */
export function points(values: readonly (number | undefined)[], length: number): string {
  const step = WIDTH / (length - 1);
  const first = length - values.length;
  return values
    .map((value, index) => (value === undefined ? "" : `${((first + index) * step).toFixed(1)},${(HEIGHT - EDGE - value * (HEIGHT - 2 * EDGE)).toFixed(1)}`))
    .filter(Boolean)
    .join(" ");
}
