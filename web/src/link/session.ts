import type { LatestDown, LatestUp, ReliableDown, ReliableUp } from "../messages";
import { decode, encode } from "./wire";

export type Wanted = "operator" | "viewer";

/** Another person sits in the operator's seat. */
export class SeatTaken extends Error {}

const OPEN_WITHIN_MS = 8000;
const GATHER_WITHIN_MS = 1500;
const SILENCE_MS = 1500;

/** One WebRTC session with the avatar: from the request to its end. It never comes back to life. */
export class Session {
  latest?: RTCDataChannel;
  reliable?: RTCDataChannel;
  readonly ended: Promise<string>;
  private end!: (reason: string) => void;
  private over = false;
  private heard = performance.now();
  private readonly pc = new RTCPeerConnection();
  private heartbeat?: number;

  private constructor(
    private readonly onMessage: (message: LatestDown | ReliableDown) => void,
    private readonly onTrack: (stream: MediaStream) => void,
  ) {
    this.ended = new Promise((resolve) => (this.end = resolve));
  }

  /** Asks for a seat, answers the server's offer and resolves when both channels are open. */
  static async open(
    wanted: Wanted,
    takeover: boolean,
    onMessage: (message: LatestDown | ReliableDown) => void,
    onTrack: (stream: MediaStream) => void,
  ): Promise<Session> {
    const session = new Session(onMessage, onTrack);
    const timeout = AbortSignal.timeout(OPEN_WITHIN_MS);
    try {
      await session.connect(wanted, takeover, timeout);
    } catch (error) {
      session.close("could not connect");
      throw error;
    }
    return session;
  }

  private async connect(wanted: Wanted, takeover: boolean, signal: AbortSignal): Promise<void> {
    const offer = await post("api/session", { role: wanted, takeover }, signal);
    const pc = this.pc;
    const channelsOpen = new Promise<void>((resolve, reject) => {
      signal.addEventListener("abort", () => reject(new Error("it did not answer in time")));
      pc.onconnectionstatechange = () => {
        if (["failed", "closed", "disconnected"].includes(pc.connectionState)) {
          reject(new Error("the network broke while connecting"));
          this.close("the network broke");
        }
      };
      pc.ondatachannel = ({ channel }) => {
        this.adopt(channel);
        const opened = () => {
          if (this.latest?.readyState === "open" && this.reliable?.readyState === "open") resolve();
        };
        channel.onopen = opened;
        opened();
      };
    });
    channelsOpen.catch(() => undefined);
    pc.ontrack = ({ receiver, streams, track }) => {
      lowDelay(receiver);
      this.onTrack(streams[0] ?? new MediaStream([track]));
    };
    await pc.setRemoteDescription({ type: "offer", sdp: offer.sdp as string });
    await pc.setLocalDescription(await pc.createAnswer());
    await gathered(pc);
    const { sdp, type } = pc.localDescription!;
    await post(`api/session/${offer.session as string}/answer`, { sdp, type }, signal);
    await channelsOpen;
    this.watch();
  }

  private adopt(channel: RTCDataChannel): void {
    if (channel.label === "latest") this.latest = channel;
    else if (channel.label === "reliable") this.reliable = channel;
    else return;
    channel.binaryType = "arraybuffer";
    channel.onclose = () => this.close("the session was ended");
    channel.onmessage = ({ data }) => {
      this.heard = performance.now();
      this.onMessage(decode(data as ArrayBuffer));
    };
  }

  /** WebRTC notices a dead peer after many seconds: the avatar speaks 100 times a second, so silence is enough. */
  private watch(): void {
    this.heard = performance.now();
    let silent = 0;
    this.heartbeat = window.setInterval(() => {
      // Twice, so that a page that was itself asleep first reads what has come meanwhile.
      silent = performance.now() - this.heard > SILENCE_MS ? silent + 1 : 0;
      if (silent >= 2) this.close("no word from the avatar");
    }, 200);
  }

  /** Sends unless older data still waits: a newer frame will follow. `force` is for releases. */
  sendLatest(message: LatestUp, force = false): boolean {
    const channel = this.latest;
    if (channel?.readyState !== "open" || (channel.bufferedAmount > 0 && !force)) return false;
    channel.send(encode(message));
    return true;
  }

  sendReliable(message: ReliableUp): boolean {
    if (this.reliable?.readyState !== "open") return false;
    this.reliable.send(encode(message));
    return true;
  }

  close(reason: string): void {
    if (this.over) return;
    this.over = true;
    window.clearInterval(this.heartbeat);
    this.pc.close();
    this.end(reason);
  }
}

async function post(path: string, body: object, signal: AbortSignal): Promise<Record<string, unknown>> {
  const response = await fetch(new URL(path, document.baseURI), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    signal,
  }).catch(() => {
    throw new Error("its server does not answer");
  });
  const answer = (await response.json().catch(() => ({}))) as Record<string, unknown>;
  if (response.status === 409) throw new SeatTaken(String(answer.error ?? "The seat is taken."));
  if (!response.ok) throw new Error(String(answer.error ?? `The server said ${response.status}.`));
  return answer;
}

function gathered(pc: RTCPeerConnection): Promise<void> {
  if (pc.iceGatheringState === "complete") return Promise.resolve();
  return new Promise((resolve) => {
    pc.onicegatheringstatechange = () => pc.iceGatheringState === "complete" && resolve();
    window.setTimeout(resolve, GATHER_WITHIN_MS);
  });
}

/** Show each frame as soon as it is decoded: an operator prefers a late frame lost to all frames late. */
function lowDelay(receiver: RTCRtpReceiver): void {
  const hints = receiver as RTCRtpReceiver & { jitterBufferTarget?: number | null; playoutDelayHint?: number };
  if ("jitterBufferTarget" in hints) hints.jitterBufferTarget = 0;
  if ("playoutDelayHint" in hints) hints.playoutDelayHint = 0;
}
