import type { LatestDown, LatestUp, ReliableDown, ReliableUp } from "../messages";
import { SeatTaken, Session } from "./session";

export type Connection = "connecting" | "connected" | "lost";
export type Role = "none" | "operator" | "viewer" | "taken";

/** After a break our own dead session may hold the seat for a while: ask again so long before watching. */
const SEAT_PATIENCE_MS = 2500;
const BACKOFF_MS = { first: 250, most: 2000 };

export interface LinkEvents {
  message(message: LatestDown | ReliableDown): void;
  stream(stream: MediaStream): void;
  /** Connection or role changed. */
  change(): void;
}

/**
 * Keeps a session with the avatar for as long as the page lives: it connects by itself, and again
 * after every break. Where the seat is taken it watches, until `claimSeat`.
 */
export class Link {
  connection: Connection = "connecting";
  role: Role = "none";
  /** Why the last attempt or session ended, in words. */
  trouble = "";
  /** Whether the seat was ours and nobody took it: then we may have it back when it is free. */
  lapsed = false;
  private session?: Session;
  private claim?: { takeover: boolean };
  private over = false;
  private wake?: () => void;

  constructor(private readonly events: LinkEvents) {}

  async run(): Promise<void> {
    let backoff = BACKOFF_MS.first;
    let patience = performance.now() + SEAT_PATIENCE_MS;
    let asViewer = false;
    while (!this.over) {
      if (this.claim) asViewer = false;
      const takeover = this.claim?.takeover ?? false;
      this.claim = undefined;
      try {
        const wanted = asViewer ? "viewer" : "operator";
        const session = await Session.open(wanted, takeover, this.events.message, this.events.stream);
        if (this.over) return session.close("page left");
        this.session = session;
        this.trouble = "";
        backoff = BACKOFF_MS.first;
        if (!asViewer) this.lapsed = true;
        this.become("connected", asViewer ? "taken" : "operator");
        this.trouble = await session.ended;
        patience = performance.now() + SEAT_PATIENCE_MS;
        // A watcher that is cut off tries the seat again: it may be free by now.
        asViewer = false;
      } catch (error) {
        if (error instanceof SeatTaken) {
          asViewer = performance.now() > patience;
          backoff = BACKOFF_MS.first;
        } else {
          this.trouble = error instanceof Error ? error.message : String(error);
          patience = performance.now() + SEAT_PATIENCE_MS;
        }
      }
      this.session = undefined;
      if (this.over) return;
      this.become(this.connection === "connecting" ? "connecting" : "lost", "none");
      if (!this.claim && !asViewer) await this.pause(backoff);
      backoff = Math.min(BACKOFF_MS.most, backoff * 2);
    }
  }

  /** Asks for the operator's seat again; with `takeover`, whoever sits in it. */
  claimSeat(takeover: boolean): void {
    this.claim = { takeover };
    this.session?.close("taking the seat");
    this.wake?.();
  }

  sendLatest(message: LatestUp, force = false): boolean {
    return this.session?.sendLatest(message, force) ?? false;
  }

  sendReliable(message: ReliableUp): boolean {
    return this.session?.sendReliable(message) ?? false;
  }

  /** Says goodbye, so that the avatar holds at once and the seat is free. */
  leave(): void {
    this.over = true;
    this.sendReliable({ type: "Goodbye" });
    this.session?.close("page left");
  }

  private become(connection: Connection, role: Role): void {
    this.connection = connection;
    this.role = role;
    this.events.change();
  }

  private pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve;
      window.setTimeout(resolve, ms);
    });
  }
}
