import { byId, setAttribute } from "./dom";

/** Where on the page the left eye's picture lies: the left half of the side-by-side video. */
export class Eye {
  private whole = false;
  private readonly view = byId("view");
  private readonly box = byId("eye");

  constructor(private readonly video: HTMLVideoElement) {
    new ResizeObserver(() => this.layout()).observe(this.view);
    video.addEventListener("resize", () => this.layout());
    this.layout();
  }

  /** Fill the page, or show the whole picture with margins. */
  toggleWhole(): void {
    this.whole = !this.whole;
    setAttribute(byId("fit"), "aria-pressed", String(this.whole));
    this.layout();
  }

  private layout(): void {
    const width = (this.video.videoWidth || 1280) / 2;
    const height = this.video.videoHeight || 480;
    const { clientWidth, clientHeight } = this.view;
    const scales = [clientWidth / width, clientHeight / height];
    const scale = this.whole ? Math.min(...scales) : Math.max(...scales);
    const w = Math.ceil(width * scale);
    const h = Math.ceil(height * scale);
    // Where the picture is cut, more is kept below: that is where the hands are.
    const top = (clientHeight - h) * (h > clientHeight ? 0.62 : 0.5);
    Object.assign(this.box.style, {
      width: `${w}px`,
      height: `${h}px`,
      left: `${Math.round((clientWidth - w) / 2)}px`,
      top: `${Math.round(top)}px`,
    });
  }
}
