import type { AvatarState, ModeName } from "./messages";

/** The names of the avatar's modes, as a person reads them. */
export const MODE_NAMES: Record<ModeName, string> = {
  hold: "Holding still",
  fade: "Easing in",
  track: "Following you",
  stopped: "Stopped",
};

/** Reasons that only repeat the name of the mode. */
const PLAIN = ["", "following", "stopped"];

/** Why the avatar is in its mode, as a sentence; empty where the mode's name says it all. */
export function reasonText(state: AvatarState): string {
  if (PLAIN.includes(state.reason)) return "";
  return state.reason.charAt(0).toUpperCase() + state.reason.slice(1);
}
