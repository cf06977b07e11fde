import type { AvatarState } from "../messages";
import type { Video } from "../video";
import { byId, setClass, setHidden, setText } from "./dom";

const LATE_MS = 250;
const FEW_FRAMES = 10;

/** Delays, frames and the recorder. Delays are smoothed, so that the figures can be read. */
export class Meters {
  private readonly age = byId("video-age");
  private readonly delay = byId("command-delay");
  private readonly fps = byId("fps");
  private readonly recording = byId("recording");
  private readonly recordingText = byId("recording-text");
  private readonly recordingSize = byId("recording-size");
  private smoothed?: number;
  private count = 0;

  update(state: AvatarState | undefined, video: Video, connected: boolean): void {
    const delay = state && state.frame_seq > 0 ? state.frame_age_ms : undefined;
    this.smoothed = delay === undefined ? undefined : (this.smoothed ?? delay) + 0.3 * (delay - (this.smoothed ?? delay));
    this.record(state);
    if (this.count++ % 3) return;
    const fps = video.fps;
    figure(this.age, connected ? video.age : undefined, (age) => age > LATE_MS);
    figure(this.delay, this.smoothed, (age) => age > LATE_MS);
    figure(this.fps, connected ? fps : undefined, (rate) => rate < FEW_FRAMES);
  }

  private record(state: AvatarState | undefined): void {
    const recording = state?.recording;
    setHidden(this.recording, !recording || !(recording.active || recording.fault));
    if (!recording) return;
    setText(this.recordingText, recording.fault || "Recording");
    setText(this.recordingSize, recording.fault ? "" : `${recording.megabytes.toFixed(1)} MB`);
    this.recording.title = recording.fault || `Recording to ${recording.file}`;
  }
}

function figure(element: HTMLElement, value: number | undefined, isLate: (value: number) => boolean): void {
  setText(element, value === undefined ? "–" : value > 9999 ? ">9999" : String(Math.round(value)));
  setClass(element.closest("div")!, "late", value !== undefined && isLate(value));
}
