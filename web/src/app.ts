import { Desktop } from "./controls/desktop";
import type { Pressed } from "./controls/keymap";
import type { Source } from "./controls/source";
import { Dialogs } from "./hud/dialogs";
import { byId, setHidden } from "./hud/dom";
import { Eye } from "./hud/eye";
import { Hud } from "./hud/hud";
import { Toasts } from "./hud/toasts";
import { Known } from "./known";
import { nowNs } from "./link/clock";
import { Link } from "./link/link";
import type { AvatarState, LatestDown, ReliableDown } from "./messages";
import { Rehome } from "./rehome";
import { onLossOfControl } from "./release";
import { Sender } from "./sender";
import { Sound } from "./sound";
import { expose, type Surface } from "./surface";
import { Video } from "./video";
import type { Headset } from "./vr/headset";

/** The operator page: link, controls, signs and headset put together. */
export class App {
  private readonly known = new Known();
  private readonly video = new Video(byId<HTMLVideoElement>("video"), this.known.offset);
  private readonly eye = new Eye(this.video.element);
  private readonly sound = new Sound();
  private readonly toasts = new Toasts();
  private readonly link: Link;
  private readonly desktop: Desktop;
  private readonly sender: Sender;
  private readonly rehoming: Rehome;
  private readonly dialogs: Dialogs;
  private readonly hud: Hud;
  private headset?: Headset;
  private wasConnected = false;

  constructor() {
    this.link = new Link({
      message: (message) => this.take(message),
      stream: (stream) => this.video.show(stream),
      change: () => this.linkChanged(),
    });
    this.desktop = new Desktop(byId("view"), (action) => this.act(action));
    this.desktop.onChange = () => this.sendNow();
    this.sender = new Sender(this.link, () => this.source);
    this.desktop.onMove = () => this.sender.soon();
    this.rehoming = new Rehome(this.link);
    this.dialogs = new Dialogs(
      () => this.release(),
      (another) => this.link.sendReliable({ type: "Reset", seed: (this.known.welcome?.scene.seed ?? 0) + Number(another) }),
    );
    this.hud = new Hud(this.known, this.link, this.video, this.desktop, this.sound, () => this.sender.last);
    this.buttons();
    onLossOfControl(() => this.release());
    window.addEventListener("pagehide", () => this.link.leave());
    // A page that comes back from the browser's cache has a dead link.
    window.addEventListener("pageshow", (event) => event.persisted && location.reload());
    expose(() => this.snapshot(), (callback) => this.video.onFrame(callback));
  }

  start(): void {
    this.sender.start();
    void this.link.run();
    this.dialogs.showWelcome();
    void this.offerVr();
  }

  private get source(): Source {
    return this.headset?.source ?? this.desktop;
  }

  /** Lets go of everything, and says so at once. */
  private release(): void {
    this.desktop.release();
    this.headset?.source.release();
    this.sendNow();
  }

  private sendNow(): void {
    this.sender.send(true);
  }

  private take(message: LatestDown | ReliableDown): void {
    if (!this.known.take(message)) return;
    if (message.type === "Welcome") this.desktop.look.home = message.head_home;
    else if (message.type === "AvatarState") this.seen(message);
    else if (message.type === "VideoStamp") this.video.stamp(message);
    else if (message.type === "Ping") this.pong(message.seq, message.sent_ns);
    else if (message.type === "Event") {
      this.toasts.show(message);
      if (message.code === "taken-over") this.link.lapsed = false;
      if (message.level === "fault") this.sound.fault();
    }
  }

  private seen(state: AvatarState): void {
    this.rehoming.seen(state.frame_seq);
    this.hud.seen();
  }

  private pong(seq: number, sent: number): void {
    const received = nowNs();
    this.link.sendLatest({ type: "Pong", seq, sent_ns: sent, received_ns: received, replied_ns: nowNs() }, true);
  }

  private linkChanged(): void {
    const connected = this.link.connection === "connected";
    if (!connected) {
      this.known.forget();
      this.rehoming.cancel();
      this.desktop.release();
      // The avatar takes the first look of a session as straight ahead.
      this.desktop.look.straight();
      this.headset?.source.release();
    }
    if (connected && !this.wasConnected) this.sound.connected();
    if (!connected && this.wasConnected) this.sound.lost();
    this.wasConnected = connected;
    this.hud.update();
  }

  private act(action: Pressed): void {
    const stopped = this.known.state?.mode === "stopped";
    if (action === "help") this.dialogs.showHelp();
    else if (action === "fit") this.eye.toggleWhole();
    else if (action === "sound") this.sound.toggle();
    else if (this.link.role !== "operator") return;
    else if (action === "reset") this.dialogs.askReset();
    else if (action === "resume" || (action === "rehomeOrResume" && stopped)) this.resume();
    else if (action === "rehome" || action === "rehomeOrResume") this.rehome();
    else if (action === "stop") this.stop();
    this.hud.update();
  }

  private stop(): void {
    this.release();
    this.link.sendReliable({ type: "Stop" });
  }

  private resume(): void {
    if (this.known.state?.mode === "stopped") this.link.sendReliable({ type: "Resume" });
  }

  private rehome(): void {
    this.desktop.look.straight();
    this.headset?.rehome();
    this.sendNow();
    this.rehoming.request(this.sender.frameSeq);
  }

  private buttons(): void {
    for (const action of ["stop", "resume", "rehome", "reset", "fit", "sound"] as const) {
      byId(action).addEventListener("click", () => this.act(action));
    }
    // After a click the keyboard goes back to driving; a keyboard user's focus stays where it is.
    byId("stage").addEventListener("click", (event) => {
      const byMouse = event.detail > 0 && event.target instanceof Element && event.target.closest("button, input");
      if (byMouse && !document.querySelector("dialog[open]")) byId("view").focus({ preventScroll: true });
    });
    for (const id of ["enter-vr", "welcome-vr"]) byId(id).addEventListener("click", () => void this.enterVr());
  }

  private async offerVr(): Promise<void> {
    const supported = await navigator.xr?.isSessionSupported("immersive-vr").catch(() => false);
    setHidden(byId("enter-vr"), !supported);
    setHidden(byId("welcome-vr"), !supported);
  }

  private async enterVr(): Promise<void> {
    if (this.headset || !navigator.xr) return;
    try {
      // The session first: the browser grants it only straight after the click.
      const session = await navigator.xr.requestSession("immersive-vr", { optionalFeatures: ["local-floor"] });
      const { Headset } = await import("./vr/headset");
      this.dialogs.closeAll();
      this.release();
      const headset = new Headset(session, {
        video: this.video,
        known: this.known,
        link: this.link,
        act: (action) => this.act(action),
        send: (force) => this.sender.send(force),
      });
      this.headset = headset;
      void headset.ended.then(() => this.leftVr());
      await headset.start();
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.toasts.show({ level: "warning", code: "vr", text: `VR could not start: ${why}` });
    }
  }

  private leftVr(): void {
    this.headset = undefined;
    this.release();
    this.rehome();
    byId("view").focus({ preventScroll: true });
  }

  private snapshot(): Surface["state"] {
    const { state, welcome, task, events, offset } = this.known;
    const last = this.sender.last;
    const clock = offset.best;
    return {
      connection: this.link.connection,
      role: this.link.role,
      mode: state?.mode,
      clutched: { left: last?.left.clutch ?? false, right: last?.right.clutch ?? false },
      frameSeq: this.sender.frameSeq,
      lastFrame: last,
      lastState: state,
      welcome,
      task,
      events: [...events],
      fps: this.video.fps,
      videoAgeMs: this.video.age,
      commandDelayMs: state?.frame_age_ms,
      clock: clock && { offsetMs: clock.offset / 1e6, roundTripMs: clock.roundTrip / 1e6 },
      vr: this.headset !== undefined,
    };
  }
}
