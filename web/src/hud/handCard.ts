import type { HandState } from "../messages";
import { handTrouble } from "../modes";
import { byId, icon, setClass, setHidden, setText } from "./dom";

const GRIP_FULL_N = 20;
const WRIST_FULL_N = 60;

interface Bar {
  fill: HTMLElement;
  bar: HTMLElement;
  value: HTMLElement;
}

/** One hand: what it does, how far its fingers are closed, and what it feels. */
export class HandCard {
  private readonly card: HTMLElement;
  private readonly word: HTMLElement;
  private readonly kind: HTMLElement;
  private readonly slider: HTMLInputElement;
  private readonly closed: HTMLElement;
  private readonly tint: HTMLElement;
  private readonly tintWord: HTMLElement;
  private readonly grip: Bar;
  private readonly wrist: Bar;

  constructor(side: "left" | "right", onFingers: (closed: number) => void) {
    const name = side === "left" ? "Left hand" : "Right hand";
    this.card = byId(`hand-${side}`);
    this.card.innerHTML = `
      <header>${icon("hand")}<h2>${name}</h2><span class="word" role="status" aria-label="${name}"></span><small></small></header>
      <label>Fingers<input id="fingers-${side}" type="range" min="0" max="100" value="0" aria-label="${name}: close fingers" /><output></output></label>
      <div class="force"><span>Grip</span><div class="bar"><i></i></div><output></output></div>
      <div class="force"><span>Wrist</span><div class="bar"><i></i></div><output></output></div>`;
    const all = <T extends HTMLElement>(selector: string) => [...this.card.querySelectorAll<T>(selector)];
    this.word = all(".word")[0]!;
    this.kind = all("small")[0]!;
    this.slider = all<HTMLInputElement>("input")[0]!;
    this.closed = all("output")[0]!;
    const [gripBar, wristBar] = all(".bar");
    const [gripFill, wristFill] = all(".bar i");
    const [, gripValue, wristValue] = all("output");
    this.grip = { bar: gripBar!, fill: gripFill!, value: gripValue! };
    this.wrist = { bar: wristBar!, fill: wristFill!, value: wristValue! };
    this.tint = byId(`tint-${side}`);
    this.tintWord = byId(`tint-${side}-word`);
    this.slider.addEventListener("input", () => onFingers(Number(this.slider.value) / 100));
  }

  describe(part: string | undefined): void {
    setHidden(this.card, part === undefined);
    setText(this.kind, (part ?? "").replaceAll("-", " "));
  }

  update(hand: HandState | undefined, wanted: { clutch: boolean; closed: number; selected: boolean; drives: boolean }): void {
    const trouble = handTrouble(hand);
    const unreachable = trouble !== "";
    const moving = wanted.clutch && (hand?.clutched ?? false);
    setText(this.word, trouble || (moving ? "Moving" : wanted.clutch ? "Taking" : "Released"));
    setClass(this.card, "moving", wanted.clutch && !unreachable);
    setClass(this.card, "unreachable", unreachable);
    setClass(this.card, "selected", wanted.selected);
    setHidden(this.tint, !unreachable);
    setText(this.tintWord, trouble);
    const percent = String(Math.round(wanted.closed * 100));
    if (this.slider.value !== percent) this.slider.value = percent;
    if (this.slider.disabled === wanted.drives) this.slider.disabled = !wanted.drives;
    setText(this.closed, `${percent} %`);
    show(this.grip, hand && hand.fingertips.reduce((sum, force) => sum + Math.max(0, force), 0), GRIP_FULL_N);
    show(this.wrist, hand && Math.hypot(hand.wrench[0], hand.wrench[1], hand.wrench[2]), WRIST_FULL_N);
  }
}

function show({ bar, fill, value }: Bar, newtons: number | undefined, full: number): void {
  const share = Math.min(1, (newtons ?? 0) / full);
  const transform = `scaleX(${share.toFixed(2)})`;
  if (fill.style.transform !== transform) fill.style.transform = transform;
  setClass(bar, "high", share > 0.8);
  setText(value, newtons === undefined ? "–" : `${newtons.toFixed(newtons < 9.95 ? 1 : 0)} N`);
}
