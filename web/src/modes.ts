import type { AvatarState, HandState, ModeName } from "./messages";

/** The names of the avatar's modes, as a person reads them. */
export const MODE_NAMES: Record<ModeName, string> = {
  hold: "Holding still",
  fade: "Easing in",
  track: "Following you",
  stopped: "Stopped",
};

/** Why a taken hand cannot follow, as a sentence; empty while it can. */
export function handTrouble(hand: HandState | undefined): string {
  if (!hand?.clutched || hand.reachable) return "";
  return capital(hand.reason || "out of reach");
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Reasons that only repeat the name of the mode. */
const PLAIN = ["", "following", "stopped"];

/** Why the avatar is in its mode, as a sentence; empty where the mode's name says it all. */
export function reasonText(state: AvatarState): string {
  if (PLAIN.includes(state.reason)) return "";
  return capital(state.reason);
}
