import { Matrix4, Mesh, MeshBasicMaterial, Quaternion as Turn, RingGeometry, Scene, Vector3 as Point } from "three";
import type { OverlayUp, Tracked } from "../messages";
import { setText } from "../hud/dom";
import { Panel } from "../vr/panel";
import { Anchored } from "./anchor";
import { ArCamera } from "./arCamera";
import { ArInput } from "./arInput";
import { EYE_CAMERA } from "./frames";
import { Placement } from "./placement";
import type { Stage } from "./stage";
import { type Sight, Tracker } from "./tracker";

export interface ArContext {
  stage: Stage;
  /** Element that the browser lays over the room where it can, and its line of text. */
  root: HTMLElement;
  hint: HTMLElement;
  occlude(): boolean;
  /** What is wrong with the avatar, or nothing. */
  trouble(): string;
  send(message: OverlayUp): boolean;
}

/** One visit in augmented reality: from the granted session to its end. */
export class ArVisit {
  readonly ended: Promise<void>;
  readonly placement = new Placement();
  placed = false;
  placing = true;
  readonly tracker: Tracker;
  readonly anchored = new Anchored();
  private readonly extras = new Scene();
  private readonly reticle = new Mesh(new RingGeometry(0.09, 0.12, 40).rotateX(-Math.PI / 2), new MeshBasicMaterial({ color: 0xf3ae6b, toneMapped: false }));
  private readonly panel = new Panel();
  private readonly input: ArInput;
  private readonly camera: ArCamera;
  private source?: XRHitTestSource;
  private hit?: XRHitTestResult;
  private viewer = new Point();
  private before?: number;
  private selected = false;
  private hasDom = false;
  private sees = false;

  static async request(root: HTMLElement): Promise<XRSession> {
    return navigator.xr!.requestSession("immersive-ar", {
      requiredFeatures: ["local-floor"],
      optionalFeatures: ["hit-test", "anchors", "dom-overlay", "camera-access"],
      domOverlay: { root },
    } as XRSessionInit);
  }

  constructor(
    private readonly session: XRSession,
    private readonly context: ArContext,
  ) {
    this.camera = new ArCamera(context.stage.renderer);
    this.tracker = new Tracker(context.send, () => this.camera.next(), (sight) => this.sighted(sight));
    this.input = new ArInput(context.root, () => this.placeAgain(), () => void session.end());
    this.reticle.visible = false;
    this.extras.add(this.reticle, this.panel.mesh);
    session.addEventListener("select", () => (this.selected = true));
    this.ended = new Promise((resolve) => session.addEventListener("end", () => (this.dispose(), resolve())));
  }

  async start(): Promise<void> {
    const { renderer } = this.context.stage;
    renderer.xr.enabled = true;
    renderer.xr.setReferenceSpaceType("local-floor");
    await renderer.xr.setSession(this.session);
    this.hasDom = this.session.domOverlayState != null;
    if (this.session.enabledFeatures?.includes("camera-access")) this.tracker.start();
    void this.anchored.recall(this.session);
    try {
      const space = await this.session.requestReferenceSpace("viewer");
      this.source = await this.session.requestHitTestSource?.({ space });
    } catch {
      // Without hit-test the place is put on the floor, where one looks.
    }
  }

  /** Whether it is known where the robot stands, and where the viewer: headset or phone then hold the place by themselves. */
  get tracking(): boolean {
    return this.placed && this.sees;
  }

  read(tracked: Tracked): void {
    this.tracker.read(tracked);
  }

  frame(nowMs: number, frame: XRFrame, opacity: number): void {
    const { stage } = this.context;
    const space = stage.renderer.xr.getReferenceSpace();
    const viewer = space && frame.getViewerPose(space);
    this.sees = viewer != null;
    if (space && viewer) this.look(nowMs, frame, space, viewer);
    stage.standAt(this.placement.matrix);
    stage.drawAr(this.placed ? opacity : 0, this.context.occlude(), this.extras, stage.camera);
  }

  private look(nowMs: number, frame: XRFrame, space: XRReferenceSpace, viewer: XRViewerPose): void {
    const { x, y, z } = viewer.transform.position;
    this.viewer.set(x, y, z);
    this.camera.look(viewer);
    const anchored = this.anchored.where(frame, space);
    if (anchored && !this.placing) this.placement.matrix = anchored;
    else if (anchored && !this.placed) {
      this.placement.matrix = anchored;
      [this.placed, this.placing] = [true, false];
    }
    const at = this.placing ? this.aim(frame, space, viewer) : undefined;
    this.reticle.visible = at !== undefined;
    if (at) this.reticle.position.copy(at);
    if (this.selected && at) this.put(at, frame, space);
    this.selected = false;
    const elapsed = Math.min(0.1, (nowMs - (this.before ?? nowMs)) / 1000);
    this.before = nowMs;
    const motion = this.input.take(frame.session.inputSources, elapsed);
    if (motion && this.placed) {
      this.placement.turn(motion.turn);
      this.placement.nudge(motion.right, motion.up, motion.away, this.viewer);
      this.anchored.moved(this.placement.matrix);
    }
    this.tell(viewer);
  }

  /** The real surface that one looks at, else the floor there. */
  private aim(frame: XRFrame, space: XRReferenceSpace, viewer: XRViewerPose): Point | undefined {
    this.hit = this.source && frame.getHitTestResults(this.source)[0];
    const found = this.hit?.getPose(space)?.transform.position;
    if (found) return new Point(found.x, found.y, found.z);
    if (this.source) return undefined;
    const { orientation: q } = viewer.transform;
    const ahead = new Point(0, 0, -1).applyQuaternion(new Turn(q.x, q.y, q.z, q.w));
    if (ahead.y > -0.1) return undefined;
    return this.viewer.clone().addScaledVector(ahead, -this.viewer.y / ahead.y);
  }

  private put(at: Point, frame: XRFrame, space: XRReferenceSpace): void {
    this.placement.put(at, this.viewer);
    [this.placed, this.placing] = [true, false];
    this.reticle.visible = false;
    if (this.hit) void this.anchored.drop(this.hit, this.placement.matrix, frame, space);
  }

  /** The marker tells better than a hand where the robot stands. */
  private sighted({ camera_base, room_eye }: Sight): void {
    if (!room_eye) return;
    this.anchored.release();
    this.placement.matrix = new Matrix4().multiplyMatrices(room_eye, EYE_CAMERA).multiply(camera_base);
    [this.placed, this.placing] = [true, false];
  }

  private placeAgain(): void {
    this.anchored.release();
    this.placing = true;
  }

  private tell(viewer: XRViewerPose): void {
    const trouble = this.context.trouble();
    const how = this.hasDom ? "Tap where the robot's base stands" : "Look at the robot's base and pull the trigger";
    setText(this.context.hint, trouble || (this.placing ? `${how}.` : "Turn with two fingers; the arrows nudge."));
    const detail = this.placing ? `${how}.` : "The sticks turn and shift, the grip places anew.";
    this.panel.mesh.visible = !this.hasDom && (this.placing || trouble !== "");
    this.panel.show({ title: trouble || (this.placing ? "Where is the robot?" : "In place"), detail, figures: "", alarm: trouble !== "" });
    const q = viewer.transform.orientation;
    const ahead = new Point(0, 0, -1).applyQuaternion(new Turn(q.x, q.y, q.z, q.w)).setY(0).normalize();
    this.panel.mesh.position.copy(this.viewer).addScaledVector(ahead, 1).setY(this.viewer.y - 0.32);
    this.panel.mesh.rotation.set(0, Math.atan2(-ahead.x, -ahead.z), 0);
  }

  private dispose(): void {
    this.tracker.stop();
    this.input.dispose();
    this.source?.cancel();
    this.camera.dispose();
    this.panel.dispose();
    this.reticle.geometry.dispose();
    this.reticle.material.dispose();
    this.context.stage.renderer.xr.enabled = false;
  }
}
