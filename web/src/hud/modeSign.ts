import type { AvatarState } from "../messages";
import { MODE_NAMES, reasonText } from "../modes";
import { byId, setAttribute, setHidden, setText } from "./dom";

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
    setText(this.name, mode ? MODE_NAMES[mode] : waiting);
    setText(this.reason, state ? reasonText(state) : "");
    setAttribute(this.icon, "href", `#i-${mode ?? "off"}`);
    setHidden(this.fade, mode !== "fade");
    if (mode === "fade") this.fade.value = Math.round(state!.fade * 50) / 50;
  }
}
