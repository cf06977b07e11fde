import type { AvatarState, ModeName } from "../messages";
import { byId, setAttribute, setHidden, setText } from "./dom";

const NAMES: Record<ModeName, string> = {
  hold: "Holding still",
  fade: "Easing in",
  track: "Following you",
  stopped: "Stopped",
};

/** The largest sign: what the avatar does now, and why. */
export class ModeSign {
  private readonly sign = byId("mode");
  private readonly name = byId("mode-name");
  private readonly reason = byId("mode-reason");
  private readonly icon = byId<SVGUseElement>("mode-icon");
  private readonly fade = byId<HTMLProgressElement>("mode-fade");

  update(state: AvatarState | undefined, waiting: string): void {
    const mode = state?.mode;
    setAttribute(this.sign, "data-mode", mode ?? "none");
    setText(this.name, mode ? NAMES[mode] : waiting);
    // "Following you: following" would say nothing more.
    setText(this.reason, state && !(mode === "track" && state.reason === "following") ? sentence(state.reason) : "");
    setAttribute(this.icon, "href", `#i-${mode ?? "off"}`);
    setHidden(this.fade, mode !== "fade");
    if (mode === "fade") this.fade.value = Math.round(state!.fade * 50) / 50;
  }
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
