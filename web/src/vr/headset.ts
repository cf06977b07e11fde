import { Color, Group, PerspectiveCamera, Scene, WebGLRenderer } from "three";
import type { Pressed } from "../controls/keymap";
import type { Known } from "../known";
import type { Link } from "../link/link";
import type { Quaternion } from "../messages";
import { about, conjugate, IDENTITY, multiply, yawOf } from "../quaternion";
import type { Video } from "../video";
import { orientationFromXr, orientationToXr } from "./axes";
import { Controllers } from "./controllers";
import { Eyes } from "./eyes";
import { Ghost } from "./ghost";
import { Panel } from "./panel";
import { handTroubles, panelText } from "./status";

const PANEL_MS = 250;

export interface HeadsetContext {
  video: Video;
  known: Known;
  link: Link;
  act(action: Pressed): void;
  /** Sends a frame at once; `force` even when older data still waits. */
  send(force: boolean): void;
}

/** One visit to the avatar through a headset: from the granted session to its end. */
export class Headset {
  readonly source: Controllers;
  readonly ended: Promise<void>;
  private readonly renderer = new WebGLRenderer({ antialias: false, powerPreference: "high-performance" });
  private readonly scene = new Scene();
  private readonly camera = new PerspectiveCamera();
  private readonly front = new Group();
  private readonly panel = new Panel();
  private readonly ghosts = { left: new Ghost("left"), right: new Ghost("right") };
  private readonly mirror = document.createElement("div");
  private readonly eyes: Eyes;
  /** The operator's head when it was last made "straight ahead". */
  private home: Quaternion = IDENTITY;
  private arrivedIn?: string;
  private head: Quaternion = IDENTITY;
  private panelDue = 0;
  private troubles = "";

  constructor(
    private readonly session: XRSession,
    private readonly context: HeadsetContext,
  ) {
    this.source = new Controllers((button) => this.press(button));
    const { welcome } = context.known;
    const aspect = welcome && welcome.video_height > 0 ? welcome.video_width / 2 / welcome.video_height : 4 / 3;
    this.eyes = new Eyes(context.video.element, welcome?.eye_fov_deg ?? 75, aspect);
    this.scene.background = new Color(0x0f0c0a);
    this.panel.mesh.position.set(0, -0.66, -1);
    this.panel.mesh.rotation.x = -0.55;
    this.front.add(this.panel.mesh);
    this.scene.add(this.eyes.group, this.front, this.ghosts.left.group, this.ghosts.right.group);
    this.ended = new Promise((resolve) => session.addEventListener("end", () => (this.dispose(), resolve())));
    session.addEventListener("visibilitychange", () => {
      if (session.visibilityState !== "visible") this.letGo();
    });
    session.addEventListener("inputsourceschange", (event) => {
      if (event.removed.length > 0) this.letGo();
    });
  }

  async start(): Promise<void> {
    this.mirror.id = "headset";
    this.mirror.append(this.renderer.domElement);
    document.body.append(this.mirror);
    this.renderer.xr.enabled = true;
    this.renderer.xr.setReferenceSpaceType(await spaceType(this.session));
    await this.renderer.xr.setSession(this.session);
    this.renderer.setAnimationLoop((_, frame) => frame && this.frame(frame));
  }

  /** Makes the present pose of the head "straight ahead". */
  rehome(): void {
    this.home = this.head;
  }

  private letGo(): void {
    this.source.release();
    this.context.send(true);
  }

  private press(button: "lower" | "upper"): void {
    this.context.act(button === "upper" ? "stop" : "rehomeOrResume");
  }

  private frame(frame: XRFrame): void {
    const space = this.renderer.xr.getReferenceSpace();
    if (!space || this.session.visibilityState !== "visible") return;
    this.source.read(frame, space);
    this.context.send(false);
    const viewer = frame.getViewerPose(space);
    if (viewer) this.place(viewer);
    const { left, right } = this.source.sample();
    const state = this.context.known.state;
    this.ghosts.left.update(left, state?.left.reachable ?? true);
    this.ghosts.right.update(right, state?.right.reachable ?? true);
    this.renderer.render(this.scene, this.camera);
  }

  private place(viewer: XRViewerPose): void {
    this.head = orientationFromXr(viewer.transform.orientation);
    const { known, link, video } = this.context;
    const session = link.connection === "connected" ? known.welcome?.session : undefined;
    if (session !== undefined && session !== this.arrivedIn) this.arrive(session, viewer);
    this.eyes.pose(viewer, this.pictured());
    const { x, y, z } = viewer.transform.position;
    const q = orientationToXr(about([0, 0, 1], yawOf(this.home)));
    this.front.position.set(x, y, z);
    this.front.quaternion.set(q.x, q.y, q.z, q.w);
    // What keeps a hand from following is told at once, the rest four times a second.
    const troubles = handTroubles(known);
    if (performance.now() < this.panelDue && troubles === this.troubles) return;
    this.troubles = troubles;
    this.panelDue = performance.now() + PANEL_MS;
    this.panel.show(panelText(link, known, video));
  }

  /** First sight in a session: where the operator looks is straight ahead, and the avatar's eyes take the distance of theirs. */
  private arrive(session: string, viewer: XRViewerPose): void {
    this.arrivedIn = session;
    this.rehome();
    this.context.act("rehome");
    const [a, b] = viewer.views.map((view) => view.transform.position);
    if (!a || !b || this.context.link.role !== "operator") return;
    const millimetres = 1000 * Math.hypot(a.x - b.x, a.y - b.y, a.z - b.z);
    if (millimetres > 40 && millimetres < 90) this.context.link.sendReliable({ type: "SetBaseline", millimetres });
  }

  /**
   * Where the shown picture belongs in the operator's room. The avatar follows by
   * R_robot = R_robot_home R_home^T R_operator, so it is R_home R_robot_home^T R_robot.
   */
  private pictured(): Quaternion {
    const { video, known } = this.context;
    const robotHome = known.welcome?.head_home ?? IDENTITY;
    const robot = video.headOrientation ?? known.state?.head_orientation ?? robotHome;
    return multiply(this.home, multiply(conjugate(robotHome), robot));
  }

  private dispose(): void {
    this.source.release();
    this.renderer.setAnimationLoop(null);
    this.mirror.remove();
    this.eyes.dispose();
    this.panel.dispose();
    this.ghosts.left.dispose();
    this.ghosts.right.dispose();
    this.renderer.dispose();
  }
}

async function spaceType(session: XRSession): Promise<XRReferenceSpaceType> {
  try {
    await session.requestReferenceSpace("local-floor");
    return "local-floor";
  } catch {
    return "local";
  }
}
