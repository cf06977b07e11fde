import { byId, setAttribute, setClass, setHidden, setText } from "../hud/dom";
import type { OverlaySolved, OverlayWelcome } from "../messages";
import type { Shares } from "./coverage";
import type { Preset } from "./eye";
import type { FeedState } from "./feed";
import { armFigures } from "./figures";
import { Sparkline } from "./sparkline";
import { BACKGROUNDS, type Background, type View, VIEWS } from "./stage";

/** Name, a word on it, and all of it on hovering. */
const SOLVERS: Record<string, [string, string, string]> = {
  onia: ["ONIA", "closed form", "Elbow and wrist exactly on the robot's, whatever stretch that takes"],
  dls: ["DLS", "iterative", "Damped least squares, within joint and stretch limits"],
  fabrik: ["FABRIK", "iterative", "Forward and backward reaching, within joint and stretch limits"],
  bounded: ["Bounded", "closed form", "As near as a stretch of 0.8 to 1.3 allows"],
};

export interface PanelEvents {
  solver(index: number): void;
  view(view: View): void;
  background(background: Background): void;
  preset(preset: Preset): void;
  follow(on: boolean): void;
  fov(degrees: number): void;
}

/** A sign over the picture. Calm: nothing is broken, something is awaited. */
export interface Sign {
  text: string;
  calm: boolean;
}

/** The column of choices and figures, and the signs over the picture. */
export class ControlPanel {
  private readonly solvers = byId("solver-choices");
  private readonly rows = [...byId<HTMLTableSectionElement>("metrics").rows];
  private readonly spark = new Sparkline(byId<SVGPolylineElement>("spark-line"));
  private names: string[] = [];

  constructor(private readonly events: PanelEvents) {
    this.solvers.addEventListener("change", (event) => events.solver(this.names.indexOf((event.target as HTMLInputElement).value)));
    for (const input of document.querySelectorAll<HTMLInputElement>("input[name=view]")) {
      input.addEventListener("change", () => this.view(input.value as View));
    }
    for (const input of document.querySelectorAll<HTMLInputElement>("input[name=background]")) {
      input.addEventListener("change", () => this.background(input.value as Background));
    }
    for (const button of document.querySelectorAll<HTMLElement>("[data-preset]")) {
      button.addEventListener("click", () => events.preset(button.dataset["preset"] as Preset));
    }
    byId<HTMLInputElement>("follow").addEventListener("change", (event) => events.follow((event.target as HTMLInputElement).checked));
    byId<HTMLInputElement>("fov").addEventListener("input", (event) => {
      const degrees = Number((event.target as HTMLInputElement).value);
      setText(byId("fov-value"), `${degrees}°`);
      events.fov(degrees);
    });
  }

  welcome(welcome: OverlayWelcome, chosen: number): void {
    setText(byId("title"), welcome.title || "Elsewhere");
    const same = this.names.join() === welcome.solvers.join();
    this.names = welcome.solvers;
    if (!same) this.solvers.replaceChildren(...welcome.solvers.map((name, index) => solverChoice(name, index)));
    this.chooseSolver(chosen);
  }

  /** Whether the key chose something. */
  key(name: string, view: View, background: Background): boolean {
    const digit = "123456789".indexOf(name);
    const presets: Record<string, Preset> = { f: "front", s: "side", r: "own" };
    const preset = presets[name.toLowerCase()];
    if (name.length === 1 && digit >= 0 && digit < this.names.length) {
      this.chooseSolver(digit);
      this.events.solver(digit);
    } else if (preset) this.events.preset(preset);
    else if (name.toLowerCase() === "v") this.view(after(VIEWS, view));
    else if (name.toLowerCase() === "b") this.background(after(BACKGROUNDS, background));
    else return false;
    return true;
  }

  private chooseSolver(index: number): void {
    const input = this.solvers.querySelectorAll("input")[index];
    if (input) input.checked = true;
  }

  private view(view: View): void {
    document.querySelector<HTMLInputElement>(`input[name=view][value=${view}]`)!.checked = true;
    setHidden(byId("legend"), view !== "classes");
    this.events.view(view);
  }

  private background(background: Background): void {
    document.querySelector<HTMLInputElement>(`input[name=background][value=${background}]`)!.checked = true;
    setHidden(byId("camera-options"), background !== "camera");
    this.events.background(background);
  }

  eye(preset: Preset | undefined): void {
    for (const button of document.querySelectorAll<HTMLElement>("[data-preset]")) {
      setAttribute(button, "aria-pressed", String(button.dataset["preset"] === preset));
    }
  }

  connection(state: FeedState): void {
    const words = { connecting: "Connecting", live: "Live", lost: "Connection lost" };
    setAttribute(byId("connection-dot"), "class", `dot ${state === "live" ? "good" : state === "lost" ? "bad" : ""}`);
    setText(byId("connection"), words[state]);
  }

  sign(sign: Sign | undefined): void {
    setHidden(byId("sign"), !sign);
    if (!sign) return;
    setClass(byId("sign"), "calm", sign.calm);
    setText(byId("sign-text"), sign.text);
  }

  metrics(solved: OverlaySolved | undefined): void {
    const columns = [0, 1].map((side) => solved && armFigures(solved.arms[side]!));
    this.rows.forEach((row, index) => {
      columns.forEach((figures, side) => {
        const cell = row.cells[side + 1]!;
        const [text, mark] = figures?.[index] ?? ["–", ""];
        setText(cell, text);
        setAttribute(cell, "class", mark);
      });
    });
    setText(byId("micros"), solved ? (solved.micros < 100 ? solved.micros.toFixed(1) : solved.micros.toFixed(0)) : "–");
  }

  shares(shares: Shares | undefined): void {
    const percent = (share: number | undefined) => (share === undefined ? "–" : `${(share * 100).toFixed(1)} %`);
    setText(byId("ratio"), shares?.ratio === undefined ? "–" : shares.ratio.toFixed(3));
    setText(byId("share-covered"), percent(shares?.covered));
    setText(byId("share-uncovered"), percent(shares?.uncovered));
    setText(byId("share-human"), percent(shares?.human));
    this.spark.add(shares?.ratio);
  }

  rates(fps: number, poses: number, age: { p50: number; p95: number } | undefined): void {
    setText(byId("fps"), String(fps));
    setText(byId("poses"), String(poses));
    setText(byId("age"), age ? `${age.p50.toFixed(0)} (${age.p95.toFixed(0)})` : "–");
  }
}

function solverChoice(name: string, index: number): HTMLLabelElement {
  const [title, detail, about] = SOLVERS[name] ?? [name, "", ""];
  const label = document.createElement("label");
  const input = document.createElement("input");
  input.type = "radio";
  input.name = "solver";
  input.value = name;
  const text = document.createElement("span");
  const key = document.createElement("kbd");
  key.textContent = String(index + 1);
  key.setAttribute("aria-hidden", "true");
  const small = document.createElement("small");
  small.textContent = detail;
  const words = document.createElement("b");
  words.append(title, small);
  text.append(key, words);
  label.title = about;
  label.append(input, text);
  return label;
}

function after<T>(all: readonly T[], now: T): T {
  return all[(all.indexOf(now) + 1) % all.length]!;
}
