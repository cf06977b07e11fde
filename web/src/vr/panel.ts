import { CanvasTexture, Mesh, MeshBasicMaterial, PlaneGeometry, SRGBColorSpace } from "three";

const WIDTH = 768;
const HEIGHT = 208;
const FONT = "system-ui, sans-serif";

export interface PanelText {
  title: string;
  detail: string;
  figures: string;
  alarm: boolean;
}

/** Signs inside the headset: drawn on a canvas, and only when a word has changed. */
export class Panel {
  readonly mesh: Mesh<PlaneGeometry, MeshBasicMaterial>;
  private readonly canvas = document.createElement("canvas");
  private readonly texture: CanvasTexture;
  private drawn = "";

  constructor() {
    this.canvas.width = WIDTH;
    this.canvas.height = HEIGHT;
    this.texture = new CanvasTexture(this.canvas);
    this.texture.colorSpace = SRGBColorSpace;
    const material = new MeshBasicMaterial({ map: this.texture, transparent: true, depthTest: false, toneMapped: false });
    this.mesh = new Mesh(new PlaneGeometry(0.62, (0.62 * HEIGHT) / WIDTH), material);
    this.mesh.renderOrder = 2;
  }

  show(text: PanelText): void {
    const key = JSON.stringify(text);
    if (key === this.drawn) return;
    this.drawn = key;
    const draw = this.canvas.getContext("2d")!;
    draw.clearRect(0, 0, WIDTH, HEIGHT);
    draw.fillStyle = text.alarm ? "rgba(112, 32, 20, 0.94)" : "rgba(24, 19, 16, 0.9)";
    draw.beginPath();
    draw.roundRect(2, 2, WIDTH - 4, HEIGHT - 4, 34);
    draw.fill();
    draw.strokeStyle = text.alarm ? "#ff9a86" : "rgba(255, 232, 205, 0.3)";
    draw.lineWidth = 3;
    draw.stroke();
    line(draw, text.title, 66, `600 46px ${FONT}`, "#f8f0e6");
    line(draw, text.detail, 118, `32px ${FONT}`, "#e3d6c5");
    line(draw, text.figures, 172, `28px ${FONT}`, "#f3ae6b");
    this.texture.needsUpdate = true;
  }

  dispose(): void {
    this.texture.dispose();
    this.mesh.geometry.dispose();
    this.mesh.material.dispose();
  }
}

function line(draw: CanvasRenderingContext2D, text: string, y: number, font: string, colour: string): void {
  draw.font = font;
  draw.fillStyle = colour;
  draw.fillText(text, 40, y, WIDTH - 80);
}
