import { Matrix4, type PerspectiveCamera } from "three";
import type { OverlayUp } from "../messages";
import { EYE_CAMERA, WORLD_BASE } from "./frames";
import { type Picture, Tracker } from "./tracker";

const SENT_WIDTH = 640;
const QUALITY = 0.75;

/** This computer's camera behind the human, and the eye where that camera is, as the marker on the robot's base tells. */
export class CameraView {
  /** Field of view across the camera's width; browsers do not tell it. */
  fovDeg = 62;
  trouble = "";
  readonly tracker: Tracker;
  private camera_base?: Matrix4;
  private readonly canvas = document.createElement("canvas");
  private stream?: MediaStream;
  private wanted = false;

  constructor(
    private readonly video: HTMLVideoElement,
    send: (message: OverlayUp) => boolean,
  ) {
    this.tracker = new Tracker(send, () => this.picture(), ({ camera_base }) => (this.camera_base = camera_base));
  }

  get running(): boolean {
    return this.stream !== undefined && this.video.videoWidth > 0;
  }

  /** Whether it is known, now or until a moment ago, where the robot stands in the picture. */
  get placed(): boolean {
    return this.camera_base !== undefined;
  }

  async start(): Promise<void> {
    this.wanted = true;
    this.trouble = "";
    if (!navigator.mediaDevices) {
      this.trouble = "Browsers give a camera only to pages over TLS or from this computer.";
      return;
    }
    try {
      const stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: { ideal: "environment" }, width: { ideal: 1280 } } });
      if (!this.wanted) return void stream.getTracks().forEach((track) => track.stop());
      this.stream = stream;
      this.video.srcObject = stream;
      await this.video.play();
      this.tracker.start();
    } catch (error) {
      const name = (error as DOMException).name;
      this.trouble = name === "NotAllowedError" ? "The camera was not allowed: allow it for this page." : "No camera could be opened.";
    }
  }

  stop(): void {
    this.wanted = false;
    this.trouble = "";
    this.tracker.stop();
    this.camera_base = undefined;
    this.stream?.getTracks().forEach((track) => track.stop());
    this.stream = undefined;
    this.video.srcObject = null;
  }

  /** Puts the eye where the camera is, with the part of its picture that the page shows. */
  aim(camera: PerspectiveCamera): void {
    if (!this.camera_base) return;
    camera.fov = shownFov(this.fovDeg, this.video.videoWidth / this.video.videoHeight, camera.aspect);
    camera.updateProjectionMatrix();
    const eyeBase = EYE_CAMERA.clone().multiply(this.camera_base);
    const worldEye = new Matrix4().multiplyMatrices(WORLD_BASE, eyeBase.invert());
    worldEye.decompose(camera.position, camera.quaternion, camera.scale);
  }

  private async picture(): Promise<Picture | undefined> {
    const { video, canvas } = this;
    if (!this.running) return undefined;
    const scale = Math.min(1, SENT_WIDTH / video.videoWidth);
    canvas.width = Math.round(video.videoWidth * scale);
    canvas.height = Math.round(video.videoHeight * scale);
    const timeMs = performance.now();
    canvas.getContext("2d")!.drawImage(video, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/jpeg", QUALITY));
    if (!blob) return undefined;
    const jpeg = new Uint8Array(await blob.arrayBuffer());
    return { width: canvas.width, height: canvas.height, jpeg, fovDeg: this.fovDeg, timeMs };
  }
}

/**
 * The vertical field of view [deg] of what is shown of a picture that fills the page and is cropped at two edges
 * (`object-fit: cover`).
 */
export function shownFov(acrossDeg: number, pictureAspect: number, pageAspect: number): number {
  const halfWidth = Math.tan((acrossDeg * Math.PI) / 360);
  const halfHeight = pageAspect > pictureAspect ? halfWidth / pageAspect : halfWidth / pictureAspect;
  return (Math.atan(halfHeight) * 360) / Math.PI;
}
