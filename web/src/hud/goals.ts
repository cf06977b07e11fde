import type { TaskState } from "../messages";
import { byId, icon, setHidden, setText } from "./dom";

/** What the scene's referee asks for, as a list to tick off. */
export class Goals {
  private shown?: TaskState;
  private readonly panel = byId("goals");
  private readonly list = byId("goals-list");
  private readonly count = byId("goals-count");

  update(task: TaskState | undefined): void {
    if (task === this.shown) return;
    this.shown = task;
    const goals = Object.entries(task?.goals ?? {});
    setHidden(this.panel, goals.length === 0);
    setText(this.count, `${goals.filter(([, met]) => met).length} of ${goals.length}`);
    this.list.replaceChildren(...goals.map(([name, met]) => this.item(name, met)));
  }

  private item(name: string, met: boolean): HTMLElement {
    const item = document.createElement("li");
    item.className = met ? "done" : "";
    item.innerHTML = `${icon("done")}<span></span>`;
    const words = name.replaceAll(/[-_]/g, " ");
    item.lastElementChild!.textContent = words.charAt(0).toUpperCase() + words.slice(1);
    item.setAttribute("aria-label", `${words}: ${met ? "done" : "open"}`);
    return item;
  }
}
