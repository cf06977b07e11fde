import { byId, setClass, setHidden, setText } from "./dom";

const SIDES = ["ahead", "on the left", "behind", "on the right"];
const CLOSE_M = 0.5;
const TOUCHING_M = 0.25;

/** Warns of things near the base. Ranges: front, left, back, right [m]; not positive means nothing seen. */
export class Near {
  private readonly panel = byId("near");
  private readonly text = byId("near-text");
  private readonly arcs = SIDES.map((_, side) => byId<SVGPathElement>(`near-${side}`));

  /** Returns the smallest distance that is worth a warning. */
  update(ranges: readonly number[] | undefined): number | undefined {
    const close = (ranges ?? []).map((range) => (range > 0 && range < CLOSE_M ? range : undefined));
    const words = close.flatMap((range, side) => (range === undefined ? [] : [`${range.toFixed(1)} m ${SIDES[side]}`]));
    setHidden(this.panel, words.length === 0);
    if (words.length === 0) return undefined;
    setText(this.text, `Close: ${words.join(", ")}`);
    this.arcs.forEach((arc, side) => {
      const range = close[side];
      setClass(arc, "close", range !== undefined && range >= TOUCHING_M);
      setClass(arc, "touching", range !== undefined && range < TOUCHING_M);
    });
    return Math.min(...close.filter((range) => range !== undefined));
  }
}
