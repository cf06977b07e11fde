import type { Event as AvatarEvent } from "../messages";
import { byId, icon } from "./dom";

const MOST = 4;
const SHOWN_MS = { info: 5000, warning: 9000, fault: 20000 };

/** Events as a short list that a screen reader speaks at once. The same text again only counts up. */
export class Toasts {
  private readonly list = byId("toasts");

  show({ level, text, code }: Pick<AvatarEvent, "level" | "text" | "code">): void {
    const known = [...this.list.children].find((item) => (item as HTMLElement).dataset.text === text);
    known?.remove();
    const item = document.createElement("li");
    item.className = level;
    item.dataset.text = text;
    item.dataset.code = code;
    item.innerHTML = `<span></span><button aria-label="Dismiss">${icon("close")}</button>`;
    item.querySelector("span")!.textContent = text;
    item.querySelector("button")!.addEventListener("click", () => item.remove());
    this.list.append(item);
    while (this.list.children.length > MOST) this.list.firstElementChild!.remove();
    window.setTimeout(() => item.remove(), SHOWN_MS[level]);
  }
}
