import type { Link } from "../link/link";
import type { Welcome } from "../messages";
import { byId, setAttribute, setHidden, setText } from "./dom";

/** Whether we are connected, in which seat, and what to do when we are not. */
export class ConnectionSign {
  private readonly dot = byId("connection-dot");
  private readonly text = byId("connection");
  private readonly veil = byId("veil");
  private readonly veilText = byId("veil-text");
  private readonly seat = byId("seat");
  private readonly seatText = byId("seat-text");
  private readonly takeOver = byId("take-over");
  private seatFree = false;

  constructor(private readonly link: Link) {
    this.takeOver.addEventListener("click", () => link.claimSeat(!this.seatFree));
    window.setInterval(() => void this.lookAtSeat(), 2000);
  }

  update(welcome: Welcome | undefined, hasPicture: boolean): void {
    const { connection, role, trouble } = this.link;
    const watching = role === "taken" || role === "viewer";
    setAttribute(this.dot, "class", `dot ${connection === "connected" ? "good" : connection === "lost" ? "bad" : ""}`);
    setText(this.text, connection === "connected" ? (watching ? "Watching" : "Connected, driving") : connection === "lost" ? "Connection lost" : "Connecting");
    this.text.title = welcome?.title ?? "";
    const why = trouble ? `: ${trouble.replace(/\.$/, "")}` : "";
    setHidden(this.veil, connection === "connected" && hasPicture);
    setText(
      this.veilText,
      connection === "connected"
        ? "Waiting for the first picture."
        : connection === "lost"
          ? `The connection is lost${why}. The avatar holds still. Trying again.`
          : `Looking for the avatar${why}.`,
    );
    setHidden(this.seat, !watching);
    setText(this.seatText, this.seatFree ? "The seat is free." : "Someone else is driving; you are watching.");
    setText(this.takeOver, this.seatFree ? "Drive" : "Take over");
  }

  private async lookAtSeat(): Promise<void> {
    if (this.link.role !== "taken" && this.link.role !== "viewer") return;
    try {
      const info = (await (await fetch(new URL("api/info", document.baseURI))).json()) as { busy?: boolean };
      this.seatFree = info.busy === false;
      if (this.seatFree && this.link.lapsed) this.link.claimSeat(false);
    } catch {
      this.seatFree = false;
    }
  }
}
