import { type Camera, type Matrix4, PerspectiveCamera, type Scene, WebGLRenderer } from "three";
import { Coverage, type Shares } from "./coverage";
import { WORLD_BASE } from "./frames";
import { Human } from "./human";
import { drawsInSoftware, Quality } from "./quality";
import { OCCLUDER, Robot } from "./robot";
import { makeRoom, PLAIN_COLOUR, ROOM_COLOUR } from "./room";

export const VIEWS = ["over", "through", "robot", "human", "classes"] as const;
export type View = (typeof VIEWS)[number];
export const BACKGROUNDS = ["robot", "camera", "plain"] as const;
export type Background = (typeof BACKGROUNDS)[number];

const SEE_THROUGH = 0.5;

/**
 * Draws. Room, robot and human are scenes of their own, drawn one after the other: between robot and human the depth
 * is cleared, because in a see-through headset too the human lies over whatever stands there.
 */
export class Stage {
  readonly renderer: WebGLRenderer;
  readonly camera = new PerspectiveCamera(42, 1, 0.05, 50);
  readonly robot: Robot;
  readonly human: Human;
  private readonly room = makeRoom();
  private readonly quality = new Quality();
  private readonly coverage: Coverage;

  constructor(private readonly canvas: HTMLCanvasElement) {
    const software = drawsInSoftware();
    this.robot = new Robot(software);
    this.human = new Human(software);
    this.renderer = new WebGLRenderer({ canvas, antialias: !software, alpha: true, powerPreference: "high-performance" });
    this.renderer.autoClear = false;
    this.coverage = new Coverage(this.renderer);
    this.standAt(WORLD_BASE);
    new ResizeObserver(() => this.fit()).observe(canvas.parentElement!);
    this.fit();
  }

  /** Puts the robot's base into the world. */
  standAt(worldBase: Matrix4): void {
    for (const base of [this.robot.base, this.human.base]) {
      base.matrix.copy(worldBase);
      base.matrixWorldNeedsUpdate = true;
    }
  }

  get aspect(): number {
    return this.camera.aspect;
  }

  /** Fewer pixels where the machine cannot draw as many in time. */
  adapt(nowMs: number): void {
    if (this.quality.drawn(nowMs)) this.fit();
  }

  fit(): void {
    const frame = this.canvas.parentElement!;
    if (this.renderer.xr.isPresenting || frame.clientWidth === 0 || frame.clientHeight === 0) return;
    this.renderer.setPixelRatio(this.quality.scale * Math.min(window.devicePixelRatio, 2));
    this.renderer.setSize(frame.clientWidth, frame.clientHeight, false);
    this.camera.aspect = frame.clientWidth / frame.clientHeight;
    this.camera.updateProjectionMatrix();
  }

  /** The desk's view, whole. */
  draw(view: View, background: Background, opacity: number): void {
    const { renderer, camera, human } = this;
    renderer.setClearColor(background === "robot" ? ROOM_COLOUR : PLAIN_COLOUR, background === "camera" ? 0 : 1);
    renderer.clear();
    if (background === "robot") this.render(this.room);
    // In a camera's picture the real robot is there already.
    const drawn = view === "human" ? false : background !== "camera" || view === "robot" || view === "through";
    if (drawn) this.render(this.robot.scene);
    renderer.clearDepth();
    if (view === "classes") {
      if (opacity > 0) this.coverage.paint(camera, this.canvas.width, this.canvas.height, this.robot, human);
    } else if (view !== "robot") {
      human.draw((scene) => this.render(scene), opacity * (view === "through" ? SEE_THROUGH : 1));
    }
  }

  /** In AR the real robot is there: it is not drawn, and hides the human behind it only when asked for. */
  drawAr(opacity: number, occlude: boolean, extras: Scene, camera: Camera): void {
    const { robot, renderer } = this;
    renderer.setClearColor(0x000000, 0);
    renderer.clear();
    if (occlude) {
      robot.scene.overrideMaterial = OCCLUDER;
      renderer.render(robot.scene, camera);
      robot.scene.overrideMaterial = null;
    }
    this.human.draw((scene) => renderer.render(scene, camera), opacity);
    renderer.render(extras, camera);
  }

  /** The overlay ratio from the desk's eye. */
  measure(): Promise<Shares | undefined> {
    return this.coverage.measure(this.camera, this.aspect, this.robot, this.human);
  }

  private render(scene: Scene): void {
    this.renderer.render(scene, this.camera);
  }
}
