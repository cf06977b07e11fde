import { ClockOffset, nowNs } from "../link/clock";
import { decodeOverlay, encode } from "../link/wire";
import type { OverlayUp, OverlayWelcome, Tracked } from "../messages";
import { type Admitted, Gate } from "./gate";

export type FeedState = "connecting" | "live" | "lost";

const RETRY_MS = [300, 600, 1200, 2500];
/** The relay speaks 100 times a second: this long without a word, and the line is dead. */
const SILENCE_MS = 3000;
const PING_MS = 500;
/** A pose older than this when it comes is of the past: it is not drawn. */
const STALE_MS = 1000;

export interface FeedEvents {
  welcome(welcome: OverlayWelcome): void;
  frame(admitted: Admitted): void;
  tracked(tracked: Tracked): void;
}

/** The stream of the relay: connects, pings, checks every frame, and comes back by itself when it is lost. */
export class Feed {
  state: FeedState = "connecting";
  readonly clock = new ClockOffset();
  /** Poses that came and could be drawn, and those that could not. */
  accepted = 0;
  stale = 0;
  private gate?: Gate;
  private socket?: WebSocket;
  private tries = 0;
  private heard = 0;
  private pings = 0;

  constructor(
    private readonly events: FeedEvents,
    private readonly url = socketUrl(),
  ) {}

  start(): void {
    this.connect();
    window.setInterval(() => this.watch(), PING_MS);
  }

  get refused(): number {
    return this.stale + Object.values(this.gate?.refused ?? {}).reduce((sum, count) => sum + count, 0);
  }

  /** Sends unless older data still waits. */
  send(message: OverlayUp): boolean {
    if (this.socket?.readyState !== WebSocket.OPEN || this.socket.bufferedAmount > 0) return false;
    this.socket.send(encode(message));
    return true;
  }

  private connect(): void {
    const socket = new WebSocket(this.url);
    this.socket = socket;
    this.heard = performance.now();
    socket.binaryType = "arraybuffer";
    socket.onopen = () => void this.send({ type: "OverlayHello", role: "viewer" });
    socket.onmessage = ({ data }) => this.socket === socket && this.read(data as ArrayBuffer);
    socket.onclose = () => this.socket === socket && this.again();
  }

  private again(): void {
    this.socket = undefined;
    this.gate = undefined;
    this.state = "lost";
    // Another relay may answer next, with a clock of its own.
    this.clock.reset();
    const wait = RETRY_MS[Math.min(this.tries++, RETRY_MS.length - 1)];
    window.setTimeout(() => this.connect(), wait);
  }

  private watch(): void {
    if (!this.socket) return;
    if (performance.now() - this.heard > SILENCE_MS) {
      const silent = this.socket;
      this.again();
      silent.close();
      return;
    }
    this.send({ type: "Ping", seq: this.pings++, sent_ns: nowNs() });
  }

  private read(data: ArrayBuffer): void {
    this.heard = performance.now();
    const message = decodeOverlay(data);
    switch (message.type) {
      case "OverlayWelcome":
        this.gate = new Gate(message);
        this.tries = 0;
        this.state = "live";
        this.events.welcome(message);
        break;
      case "OverlayFrame": {
        const admitted = this.gate?.admit(message);
        if (!admitted) break;
        const age = this.ageMs(message.stamp.sampled_ns);
        if (age !== undefined && age > STALE_MS) {
          this.stale += 1;
          break;
        }
        this.accepted += 1;
        this.events.frame(admitted);
        break;
      }
      case "Tracked":
        this.events.tracked(message);
        break;
      case "Pong":
        this.clock.add(message.sent_ns, message.received_ns, message.replied_ns, nowNs());
        break;
    }
  }

  /** How long ago the relay's clock showed this time [ms]; undefined before the first answered ping. */
  ageMs(relayNs: number): number | undefined {
    const local = this.clock.toLocal(relayNs);
    return local === undefined ? undefined : (nowNs() - local) / 1e6;
  }
}

function socketUrl(): string {
  const url = new URL("api/overlay", document.baseURI);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  const key = new URLSearchParams(location.search).get("key");
  if (key) url.searchParams.set("key", key);
  return url.href;
}
