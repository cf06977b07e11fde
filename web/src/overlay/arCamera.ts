import { Matrix4, Mesh, MeshBasicMaterial, OrthographicCamera, PlaneGeometry, Scene, type WebGLRenderer, WebGLRenderTarget } from "three";
import type { Picture } from "./tracker";

const WIDTH = 640;
const QUALITY = 0.75;

/** A view whose camera the browser lets us see (WebXR raw camera access). */
interface SeeingView extends XRView {
  readonly camera?: { readonly width: number; readonly height: number };
}

/** Pictures of a phone's or headset's own camera inside an AR session, with the eye's pose in the room noted. */
export class ArCamera {
  private readonly scene = new Scene();
  private readonly material = new MeshBasicMaterial({ toneMapped: false });
  private readonly plane = new OrthographicCamera(-1, 1, 1, -1, 0, 1);
  private readonly target = new WebGLRenderTarget(WIDTH, WIDTH);
  private readonly canvas = document.createElement("canvas");
  private wanted?: (picture: Picture | undefined) => void;

  constructor(private readonly renderer: WebGLRenderer) {
    this.scene.add(new Mesh(new PlaneGeometry(2, 2), this.material));
  }

  /** The next frame's picture. */
  next(): Promise<Picture | undefined> {
    this.wanted?.(undefined);
    return new Promise((resolve) => (this.wanted = resolve));
  }

  /** Inside a frame: takes the picture that was asked for. */
  look(viewer: XRViewerPose): void {
    const wanted = this.wanted;
    if (!wanted) return;
    const view = viewer.views.find((each) => (each as SeeingView).camera) as SeeingView | undefined;
    const texture = view?.camera && this.renderer.xr.getCameraTexture(view.camera as never);
    if (!view?.camera || !texture) return;
    this.wanted = undefined;
    void this.take(view, texture).then(wanted, () => wanted(undefined));
  }

  private async take(view: SeeingView, texture: MeshBasicMaterial["map"]): Promise<Picture> {
    const { renderer, target, canvas } = this;
    const height = Math.round((WIDTH * view.camera!.height) / view.camera!.width);
    if (target.height !== height) target.setSize(WIDTH, height);
    const fovDeg = (Math.atan(1 / view.projectionMatrix[0]!) * 360) / Math.PI;
    const timeMs = performance.now();
    const room_eye = new Matrix4().fromArray(view.transform.matrix);
    this.material.map = texture;
    const before = renderer.getRenderTarget();
    // While it is enabled every camera would become the headset's.
    renderer.xr.enabled = false;
    renderer.setRenderTarget(target);
    renderer.render(this.scene, this.plane);
    renderer.setRenderTarget(before);
    renderer.xr.enabled = true;
    const rows = new Uint8Array(WIDTH * height * 4);
    await renderer.readRenderTargetPixelsAsync(target, 0, 0, WIDTH, height, rows);
    canvas.width = WIDTH;
    canvas.height = height;
    const draw = canvas.getContext("2d")!;
    draw.putImageData(upright(rows, WIDTH, height), 0, 0);
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/jpeg", QUALITY));
    if (!blob) throw new Error("no JPEG");
    return { width: WIDTH, height, jpeg: new Uint8Array(await blob.arrayBuffer()), fovDeg, timeMs, room_eye };
  }

  dispose(): void {
    this.wanted?.(undefined);
    this.target.dispose();
    this.material.dispose();
  }
}

/** WebGL's first row is the lowest. */
export function upright(rows: Uint8Array, width: number, height: number): ImageData {
  const image = new ImageData(width, height);
  for (let y = 0; y < height; y++) image.data.set(rows.subarray((height - 1 - y) * width * 4, (height - y) * width * 4), y * width * 4);
  return image;
}
