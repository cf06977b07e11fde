import { byId } from "./dom";

/** All controls, in the words of the help card. Keys in square brackets are drawn as keys. */
const CONTROLS: [string, [string, string][]][] = [
  ["Hands", [
    ["[Space]", "hold: take the hand"],
    ["[left mouse]", "hold: the same"],
    ["mouse", "move left, right, up, down"],
    ["wheel", "reach forward, back"],
    ["[Shift] mouse", "turn the hand"],
    ["[Alt] mouse", "roll; forward, back (or [Ctrl])"],
    ["[1] [2] [3]", "left, right, both hands"],
    ["[F] [G]", "hold: close, open fingers"],
  ]],
  ["Hands without a mouse", [
    ["[Space]", "hold, and with it:"],
    ["[I] [K]", "forward, back"],
    ["[J] [L]", "left, right"],
    ["[U] [O]", "up, down"],
  ]],
  ["Base", [
    ["[W] [S]", "forward, back"],
    ["[A] [D]", "left, right"],
    ["[Q] [E]", "turn left, right"],
    ["[Shift]", "hold: drive fast"],
  ]],
  ["Look", [
    ["[← ↑ ↓ →]", "look around"],
    ["[right mouse]", "drag: the same"],
    ["[H]", "re-home: straight ahead"],
    ["[V]", "whole picture, or fill the page"],
  ]],
  ["At any time", [
    ["[X] [Esc]", "stop everything"],
    ["[Enter]", "resume"],
    ["[R]", "reset the scene (asks)"],
    ["[M]", "sound on, off"],
    ["[?]", "this help"],
  ]],
  ["Gamepad", [
    ["[LB] [RB]", "hold: take left, right hand"],
    ["left stick", "hand; base when none is held"],
    ["right stick", "up, down, turn; else look"],
    ["D-pad", "turn the base"],
    ["[LT] [RT]", "fingers"],
    ["[A]", "re-home; resume after a stop"],
    ["[B]", "stop"],
  ]],
  ["Headset", [
    ["grip", "hold: take that hand"],
    ["trigger", "fingers"],
    ["left stick", "base; pressed: fast"],
    ["right stick", "turn the base"],
    ["[A] [X]", "re-home; resume after a stop"],
    ["[B] [Y]", "stop"],
  ]],
];

export function fillHelp(): void {
  const keys = (text: string) => text.replaceAll(/\[([^\]]+)\]/g, "<kbd>$1</kbd>");
  byId("help-columns").innerHTML = CONTROLS.map(
    ([title, rows]) =>
      `<section><h3>${title}</h3><dl>${rows.map(([key, what]) => `<dt>${keys(key)}</dt><dd>${keys(what)}</dd>`).join("")}</dl></section>`,
  ).join("");
}
