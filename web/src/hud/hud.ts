import type { Desktop, Selection } from "../controls/desktop";
import type { Known } from "../known";
import type { Link } from "../link/link";
import type { OperatorFrame } from "../messages";
import type { Sound } from "../sound";
import type { Video } from "../video";
import { ConnectionSign } from "./connectionSign";
import { byId, setAttribute, setClass, setHidden, setText } from "./dom";
import { Goals } from "./goals";
import { HandCard } from "./handCard";
import { Meters } from "./meters";
import { ModeSign } from "./modeSign";
import { handTrouble } from "../modes";
import { Near } from "./near";

const SELECTIONS: Selection[] = ["left", "right", "both"];
/** At 120 frames a second this is far beyond what an avatar accepts as fresh. */
const UNSEEN_FRAMES = 90;
const HANDS: Record<Selection, string> = { left: "the left hand", right: "the right hand", both: "both hands" };

/**
 * All signs above the picture, written ten times a second and only where something changed. A hand that cannot
 * follow is told at once.
 */
export class Hud {
  private readonly hands: [HandCard, HandCard];
  private readonly mode = new ModeSign();
  private readonly meters = new Meters();
  private readonly goals = new Goals();
  private readonly near = new Near();
  private readonly connection: ConnectionSign;
  private readonly hint = byId("hint");
  private readonly view = byId("view");
  private troubles = "";
  private readonly welcomeStatus = byId("welcome-status");

  constructor(
    private readonly known: Known,
    private readonly link: Link,
    private readonly video: Video,
    private readonly desktop: Desktop,
    private readonly sound: Sound,
    private readonly lastFrame: () => OperatorFrame | undefined,
  ) {
    this.connection = new ConnectionSign(link);
    this.hands = [
      new HandCard("left", (closed) => desktop.hands[0].setClosed(closed)),
      new HandCard("right", (closed) => desktop.hands[1].setClosed(closed)),
    ];
    for (const selection of SELECTIONS) {
      byId(`select-${selection}`).addEventListener("click", () => {
        desktop.select(selection);
        this.update();
      });
    }
    window.setInterval(() => this.update(), 100);
  }

  update(): void {
    const { state, welcome, task } = this.known;
    const connected = this.link.connection === "connected";
    const drives = this.link.role === "operator";
    this.connection.update(welcome, this.video.hasPicture);
    this.mode.update(connected ? state : undefined, connected ? "Waiting for its state" : "Waiting for the avatar");
    this.meters.update(state, this.video, connected);
    this.goals.update(task);
    const near = this.near.update(state?.ranges);
    if (near !== undefined) this.sound.near(near);
    this.updateHands(drives);
    this.updateActions(drives);
    setText(this.welcomeStatus, connected ? "Connected" : "Connecting");
  }

  /** A new state came: what changed of the hands' troubles is shown without waiting. */
  seen(): void {
    const { state } = this.known;
    const troubles = `${handTrouble(state?.left)}|${handTrouble(state?.right)}`;
    if (troubles === this.troubles) return;
    this.troubles = troubles;
    this.updateHands(this.link.role === "operator");
  }

  private updateHands(drives: boolean): void {
    const { state, welcome } = this.known;
    const sent = this.lastFrame();
    this.hands.forEach((card, side) => {
      const name = side === 0 ? "left" : "right";
      const hand = this.desktop.hands[side]!;
      if (welcome) card.describe(welcome.hands[name]);
      card.update(state?.[name], {
        clutch: drives && (sent?.[name].clutch ?? false),
        closed: sent?.[name].fingers[1] ?? hand.closed,
        selected: drives && (this.desktop.selection === "both" || this.desktop.selection === name),
        drives,
      });
    });
    setClass(this.view, "moving", drives && Boolean(sent?.left.clutch || sent?.right.clutch));
  }

  /** What is wrong though the link stands. */
  private trouble(drives: boolean): string {
    if (this.link.connection !== "connected") return "";
    if (this.video.frozen) return "The picture stands still";
    const unseen = (this.lastFrame()?.seq ?? 0) - (this.known.state?.frame_seq ?? 0);
    return drives && this.known.state && unseen > UNSEEN_FRAMES ? "Your commands come too late: the avatar does not take them" : "";
  }

  private updateActions(drives: boolean): void {
    const stopped = this.known.state?.mode === "stopped";
    const clutched = this.desktop.hands.some((hand) => hand.clutch);
    for (const selection of SELECTIONS) {
      setAttribute(byId(`select-${selection}`), "aria-pressed", String(this.desktop.selection === selection));
    }
    setHidden(byId("stop"), stopped);
    setHidden(byId("resume"), !stopped);
    for (const id of ["stop", "resume", "rehome", "reset", "select-left", "select-right", "select-both"]) {
      const button = byId<HTMLButtonElement>(id);
      if (button.disabled === drives) button.disabled = !drives;
    }
    const hold = `Hold Space or the left mouse button to move ${HANDS[this.desktop.selection]}`;
    setText(this.hint, this.trouble(drives) || (!drives ? "" : stopped ? "Press Enter to resume" : clutched ? "" : hold));
    setAttribute(byId("sound"), "aria-pressed", String(this.sound.on));
  }
}
