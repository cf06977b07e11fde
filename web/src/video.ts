import type { Quaternion, VideoStamp } from "./messages";
import { ClockOffset, nowNs } from "./link/clock";

export type VideoFrameCallback = (now: number, metadata: VideoFrameCallbackMetadata) => void;

const KEPT = 90;
const FROZEN_MS = 1000;

interface Shown {
  rtp: number | undefined;
  atNs: number;
}

/**
 * The avatar's picture: both eyes side by side in one video element. Relates each shown frame to its
 * `VideoStamp`, so that its age is known, and where the robot's head pointed.
 */
export class Video {
  private readonly stamps = new Map<number, VideoStamp>();
  private readonly listeners = new Set<VideoFrameCallback>();
  private times: number[] = [];
  private shown?: Shown;
  private matched?: VideoStamp;
  private newest?: VideoStamp;
  private ageMs?: number;
  private everMatched = false;

  constructor(
    readonly element: HTMLVideoElement,
    private readonly offset: ClockOffset,
  ) {
    const next: VideoFrameCallback = (now, metadata) => {
      element.requestVideoFrameCallback(next);
      this.frame(now, metadata);
    };
    element.requestVideoFrameCallback?.(next);
  }

  show(stream: MediaStream): void {
    this.stamps.clear();
    this.shown = this.matched = this.newest = this.ageMs = undefined;
    this.everMatched = false;
    this.element.srcObject = stream;
    void this.element.play().catch(() => undefined);
  }

  /** Calls back with every frame that is shown; returns how to stop. */
  onFrame(callback: VideoFrameCallback): () => void {
    this.listeners.add(callback);
    return () => this.listeners.delete(callback);
  }

  stamp(stamp: VideoStamp): void {
    this.newest = stamp;
    this.stamps.set(stamp.rtp, stamp);
    if (this.stamps.size > KEPT) this.stamps.delete(this.stamps.keys().next().value!);
    // The picture can overtake its stamp.
    if (this.shown?.rtp !== stamp.rtp) return;
    this.everMatched = true;
    this.match(stamp);
  }

  private frame(now: number, metadata: VideoFrameCallbackMetadata): void {
    this.times.push(now);
    this.shown = { rtp: metadata.rtpTimestamp, atNs: Math.round(now * 1e6) };
    const own = metadata.rtpTimestamp === undefined ? undefined : this.stamps.get(metadata.rtpTimestamp);
    this.everMatched ||= own !== undefined;
    // Not every browser tells RTP timestamps: then the newest stamp is the best guess.
    const stamp = own ?? (this.everMatched ? undefined : this.newest);
    if (stamp) this.match(stamp);
    for (const listener of this.listeners) listener(now, metadata);
  }

  private match(stamp: VideoStamp): void {
    this.matched = stamp;
    const sampled = this.offset.toLocal(stamp.sampled_ns);
    if (sampled === undefined || !this.shown) return;
    const age = (this.shown.atNs - sampled) / 1e6;
    this.ageMs = this.ageMs === undefined ? age : this.ageMs + 0.2 * (age - this.ageMs);
  }

  /** Shown frames of the last second. */
  get fps(): number {
    const since = performance.now() - 1000;
    this.times = this.times.filter((time) => time > since);
    return this.times.length;
  }

  /** Whether this session has shown anything yet. */
  get hasPicture(): boolean {
    return this.shown !== undefined;
  }

  /** Whether the picture stands still though it should not. */
  get frozen(): boolean {
    return this.shown !== undefined && (nowNs() - this.shown.atNs) / 1e6 > FROZEN_MS;
  }

  /** From the moment that was simulated or filmed to its showing [ms]; it grows while the picture stands still. */
  get age(): number | undefined {
    if (this.ageMs === undefined) return undefined;
    return this.frozen ? this.ageMs + (nowNs() - this.shown!.atNs) / 1e6 : this.ageMs;
  }

  /** Where the robot's head pointed when the shown frame was taken. */
  get headOrientation(): Quaternion | undefined {
    return this.matched?.head_orientation;
  }
}
