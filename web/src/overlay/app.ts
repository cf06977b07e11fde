import { byId, setClass, setHidden, setText } from "../hud/dom";
import type { OverlayFrame, OverlayWelcome, Vector3 } from "../messages";
import { ArVisit } from "./ar";
import { CameraView } from "./cameraView";
import type { Shares } from "./coverage";
import { Eye } from "./eye";
import { Feed } from "./feed";
import { Quantiles, Rate } from "./figures";
import { WORLD_BASE } from "./frames";
import type { Admitted } from "./gate";
import { ControlPanel, type Sign } from "./panel";
import { Presence } from "./presence";
import { type Background, Stage, type View } from "./stage";
import { expose } from "./surface";

const SIGNS_MS = 100;
const MEASURE_MS = 250;
/** Pictures between two measurements, of which each costs as much as a picture: a slow machine measures seldom. */
const MEASURE_FRAMES = 8;
/** A drawn pose may be this old before it no longer counts as the robot's present [ms]. */
const FRESH_MS = 200;

/** The page: a feed of poses, a stage that draws them, a panel that tells and asks. */
export class OverlayApp {
  private readonly stage = new Stage(byId<HTMLCanvasElement>("canvas"));
  private readonly eye = new Eye(() => this.panel?.eye(this.eye.chosen));
  private readonly panel: ControlPanel;
  private readonly feed: Feed;
  private readonly camera: CameraView;
  private readonly presence = new Presence();
  private readonly drawn = new Rate();
  private readonly received = new Rate();
  private readonly ages = new Quantiles();
  private welcome?: OverlayWelcome;
  private newest?: Admitted;
  private newestMs = -Infinity;
  private fresh = false;
  /** The frame that the drawn human is of. */
  private posed?: OverlayFrame;
  private solver = 0;
  private view: View = "over";
  private background: Background = "robot";
  private follow = true;
  private frames = 0;
  private loaded = "";
  private trouble = "";
  private shares?: Shares;
  private measured = 0;
  private ar?: ArVisit;

  constructor() {
    this.feed = new Feed({
      welcome: (welcome) => this.greet(welcome),
      frame: (admitted) => this.take(admitted),
      tracked: (tracked) => (this.ar ?? this.camera.tracker).read(tracked),
    });
    this.camera = new CameraView(byId<HTMLVideoElement>("camera"), (message) => this.feed.send(message));
    this.panel = new ControlPanel({
      solver: (index) => (this.solver = index),
      view: (view) => (this.view = view),
      background: (background) => this.choose(background),
      preset: (preset) => this.eye.choose(preset),
      follow: (on) => (this.follow = on),
      fov: (degrees) => (this.camera.fovDeg = degrees),
    });
  }

  start(): void {
    const view = byId("view");
    this.eye.listen(view);
    window.addEventListener("keydown", (event) => this.key(event));
    byId("enter-ar").addEventListener("click", () => void this.enterAr());
    void this.offerAr();
    this.feed.start();
    this.stage.renderer.setAnimationLoop((now, frame) => this.draw(now, frame));
    window.setInterval(() => this.tell(), SIGNS_MS);
    window.setInterval(() => void this.measure(), MEASURE_MS);
    this.expose();
  }

  // --- what comes in ---------------------------------------------------------------------------

  private greet(welcome: OverlayWelcome): void {
    const before = this.welcome?.solvers[this.solver];
    this.welcome = welcome;
    // A viewer who comes back keeps the choice.
    const wanted = [before, welcome.default_solver].map((name) => welcome.solvers.indexOf(name ?? ""));
    this.solver = wanted.find((index) => index >= 0) ?? 0;
    this.panel.welcome(welcome, this.solver);
    this.newest = undefined;
    this.ages.reset();
    void this.load(welcome);
  }

  private async load(welcome: OverlayWelcome): Promise<void> {
    const what = JSON.stringify([welcome.human_url, welcome.robot_url, welcome.links, welcome.human]);
    if (what === this.loaded) return;
    this.loaded = what;
    this.trouble = "";
    const url = (path: string) => new URL(path, document.baseURI).href;
    const results = await Promise.allSettled([
      this.stage.robot.load(url(welcome.robot_url), welcome.links),
      this.stage.human.load(url(welcome.human_url), welcome.human),
    ]);
    const failed = results.find((result) => result.status === "rejected");
    if (!failed) return;
    // The next connection tries again.
    this.loaded = "";
    const why = failed.reason instanceof Error ? failed.reason.message : String(failed.reason);
    this.trouble = `A shape could not be loaded: ${why}.`;
  }

  private take(admitted: Admitted): void {
    const now = performance.now();
    this.received.add(now);
    this.newest = admitted;
    this.newestMs = now;
    this.fresh = true;
    const [left, right] = admitted.frame.reference;
    if (left && right) this.eye.around(left.shoulder.map((value, axis) => (value + right.shoulder[axis]!) / 2) as Vector3);
  }

  // --- what goes out ---------------------------------------------------------------------------

  private draw(nowMs: number, xrFrame?: XRFrame): void {
    const newest = this.newest;
    if (newest) {
      this.stage.robot.pose(newest.frame);
      this.poseHuman(newest);
    }
    const opacity = this.presence.step(nowMs, this.healthy());
    if (xrFrame && this.ar) this.ar.frame(nowMs, xrFrame, opacity);
    else this.drawDesk(opacity);
    this.frames += 1;
    this.drawn.add(nowMs);
    if (!this.ar) this.stage.adapt(nowMs);
    if (newest && this.fresh) this.noteAge(newest.frame);
    this.fresh = false;
  }

  private drawDesk(opacity: number): void {
    const { stage, camera } = this;
    const byMarker = this.background === "camera" && this.follow;
    if (byMarker && camera.running && camera.placed) camera.aim(stage.camera);
    else this.eye.aim(stage.camera);
    const known = !byMarker || (camera.running && camera.placed);
    stage.draw(this.view, this.background, known ? opacity : 0);
  }

  /** The human holds its last good pose while this one has a fault or is not sound. */
  private poseHuman({ frame, usable }: Admitted): void {
    const solved = frame.solved[this.solver];
    if (!solved || !usable[this.solver] || frame.fault) return;
    this.stage.human.pose(solved, frame.fingers);
    this.posed = frame;
  }

  private healthy(): boolean {
    const { newest } = this;
    if (!newest || performance.now() - this.newestMs > FRESH_MS || newest.frame.fault || !newest.usable[this.solver]) return false;
    if (this.ar) return this.ar.tracking;
    return this.background !== "camera" || !this.follow || this.camera.tracker.found;
  }

  private noteAge(frame: OverlayFrame): void {
    const age = this.feed.ageMs(frame.stamp.sampled_ns);
    if (age !== undefined) this.ages.add(age);
  }

  private async measure(): Promise<void> {
    if (this.ar || document.hidden || !this.stage.human.loaded || !this.stage.robot.loaded) return;
    if (this.frames < this.measured + MEASURE_FRAMES) return;
    this.measured = this.frames;
    const shown = this.presence.opacity > 0.5 && this.newest !== undefined;
    const shares = shown ? await this.stage.measure() : undefined;
    if (shown && !shares) return;
    this.shares = shares;
    this.panel.shares(shares);
  }

  // --- signs -----------------------------------------------------------------------------------

  private tell(): void {
    const now = performance.now();
    this.panel.connection(this.feed.state);
    this.panel.sign(this.sign());
    this.panel.metrics(this.newest?.usable[this.solver] ? this.newest.frame.solved[this.solver] : undefined);
    this.panel.rates(this.drawn.perSecond(now), this.received.perSecond(now), this.ages.get());
  }

  private sign(): Sign | undefined {
    const alarm = this.alarm();
    if (alarm) return { text: alarm, calm: false };
    if (!this.newest) return { text: this.feed.state === "live" ? "Waiting for the robot's first pose." : "Looking for the avatar.", calm: true };
    if (this.background !== "camera") return undefined;
    if (this.camera.trouble) return { text: this.camera.trouble, calm: false };
    if (this.follow && this.camera.tracker.trouble) return { text: this.camera.tracker.trouble, calm: false };
    if (this.follow && !this.camera.tracker.found) return { text: "Looking for the marker on the robot's base.", calm: true };
    return undefined;
  }

  /** What is wrong with the avatar, in words, or nothing. */
  private alarm(): string {
    const held = this.presence.opacity > 0 ? "The last pose is held." : "The human is hidden.";
    if (this.feed.state === "lost") return `The avatar is lost. ${held} Trying again.`;
    if (this.trouble) return this.trouble;
    const { newest } = this;
    if (!newest) return "";
    if (newest.frame.fault) return `${sentence(newest.frame.fault)} ${held}`;
    if (performance.now() - this.newestMs > 1000) return `No poses from the robot. ${held}`;
    if (!newest.usable[this.solver]) return `This solver gives no sound pose now. ${held}`;
    return "";
  }

  // --- choices ---------------------------------------------------------------------------------

  private choose(background: Background): void {
    if (background === this.background) return;
    this.background = background;
    setHidden(byId("camera"), background !== "camera");
    if (background === "camera") void this.camera.start();
    else this.camera.stop();
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    // Radio groups and sliders have their own arrows.
    const inField = event.target instanceof HTMLInputElement;
    const mine = (!inField && this.eye.key(event.key)) || this.panel.key(event.key, this.view, this.background);
    if (mine) event.preventDefault();
  }

  private async offerAr(): Promise<void> {
    const can = await navigator.xr?.isSessionSupported("immersive-ar").catch(() => false);
    setHidden(byId("enter-ar"), !can);
    setHidden(byId("occlude-row"), !can);
    setText(byId("ar-note"), can ? "" : "AR needs a browser with WebXR: on an AR headset, or Chrome on an Android phone.");
  }

  private async enterAr(): Promise<void> {
    if (this.ar) return;
    const root = byId("ar");
    try {
      const session = await ArVisit.request(root);
      if (this.background === "camera") this.panel.key("b", this.view, this.background);
      setHidden(root, false);
      setClass(document.body, "in-ar", true);
      this.ar = new ArVisit(session, {
        stage: this.stage,
        root,
        hint: byId("ar-hint"),
        occlude: () => byId<HTMLInputElement>("occlude").checked,
        trouble: () => this.alarm(),
        send: (message) => this.feed.send(message),
      });
      await this.ar.start();
      await this.ar.ended;
    } catch (error) {
      console.error(error);
      setText(byId("ar-note"), "AR did not start: allow it for this page, and try again.");
    }
    this.ar = undefined;
    setHidden(root, true);
    setClass(document.body, "in-ar", false);
    this.stage.standAt(WORLD_BASE);
    this.stage.fit();
  }

  private expose(): void {
    const pose = () => ({ frame: this.posed, solver: this.solver, joints: this.stage.human.matrices });
    const state = () => ({
      connection: this.feed.state,
      frames: this.frames,
      accepted: this.feed.accepted,
      refused: this.feed.refused,
      sequence: this.newest?.frame.sequence,
      solver: this.welcome?.solvers[this.solver],
      solvers: this.welcome?.solvers ?? [],
      view: this.view,
      background: this.background,
      eye: this.eye.position,
      opacity: this.presence.opacity,
      shares: this.shares,
      ageMs: this.ages.get(),
      fps: this.drawn.perSecond(performance.now()),
      alarm: this.alarm(),
      wrists: [this.stage.human.place("left_hand"), this.stage.human.place("right_hand")],
      marker: { found: this.camera.tracker.found, answers: this.camera.tracker.answers },
      ar: this.ar && {
        placed: this.ar.placed,
        placing: this.ar.placing,
        at: this.ar.placement.at.toArray(),
        yaw: this.ar.placement.yaw,
        anchored: this.ar.anchored.held,
      },
    });
    expose(state, pose);
  }
}

function sentence(text: string): string {
  const capital = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(capital) ? capital : `${capital}.`;
}
