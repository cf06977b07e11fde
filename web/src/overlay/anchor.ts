import { Matrix4 } from "three";

const KEPT_AS = "elsewhere.overlay.anchor";

// Headsets that keep anchors between visits; not yet in the type definitions.
interface LastingAnchor extends XRAnchor {
  requestPersistentHandle?(): Promise<string>;
}
interface LastingSession extends XRSession {
  restorePersistentAnchor?(handle: string): Promise<XRAnchor>;
}
interface Kept {
  handle: string;
  anchor_base: number[];
}

/** Keeps the robot's place on a real spot of the room, and where the headset can, from one visit to the next. */
export class Anchored {
  private anchor?: LastingAnchor;
  private handle?: string;
  private readonly anchor_base = new Matrix4();
  private readonly world_anchor = new Matrix4();
  private seen = false;

  get held(): boolean {
    return this.anchor !== undefined;
  }

  /** Asks for an anchor where the hit is; without one the place stays as it was put. */
  async drop(hit: XRHitTestResult, worldBase: Matrix4, frame: XRFrame, space: XRReferenceSpace): Promise<void> {
    this.release();
    if (!hit.createAnchor) return;
    const pose = hit.getPose(space);
    if (!pose || !frame.session.enabledFeatures?.includes("anchors")) return;
    const world_anchor = new Matrix4().fromArray(pose.transform.matrix);
    try {
      const anchor = (await hit.createAnchor()) as LastingAnchor | undefined;
      if (!anchor) return;
      this.anchor = anchor;
      this.anchor_base.copy(world_anchor.invert().multiply(worldBase));
      this.seen = false;
      this.handle = await anchor.requestPersistentHandle?.();
      this.keep();
    } catch {
      // No anchor: the room may drift a little, and the nudge buttons are there.
    }
  }

  /** Takes up the anchor of the visit before, if there is one. */
  async recall(session: XRSession): Promise<void> {
    const kept = read();
    if (!kept) return;
    try {
      this.anchor = await (session as LastingSession).restorePersistentAnchor?.(kept.handle);
      this.handle = this.anchor && kept.handle;
      this.anchor_base.fromArray(kept.anchor_base);
      this.seen = false;
    } catch {
      localStorage.removeItem(KEPT_AS);
    }
  }

  /** base -> room as the anchor says now; undefined while it is not seen. */
  where(frame: XRFrame, space: XRReferenceSpace): Matrix4 | undefined {
    const pose = this.anchor && frame.getPose(this.anchor.anchorSpace, space);
    if (!pose) return undefined;
    this.world_anchor.fromArray(pose.transform.matrix);
    this.seen = true;
    return this.world_anchor.clone().multiply(this.anchor_base);
  }

  /** The person moved the robot's place: it keeps this from now on. */
  moved(worldBase: Matrix4): void {
    if (!this.seen) return;
    this.anchor_base.copy(this.world_anchor.clone().invert().multiply(worldBase));
    this.keep();
  }

  release(): void {
    this.anchor?.delete();
    this.anchor = undefined;
    this.handle = undefined;
    this.seen = false;
  }

  private keep(): void {
    if (!this.handle) return;
    const kept: Kept = { handle: this.handle, anchor_base: this.anchor_base.toArray() };
    localStorage.setItem(KEPT_AS, JSON.stringify(kept));
  }
}

function read(): Kept | undefined {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT_AS) ?? "null") as Kept | null;
    const sound = typeof kept?.handle === "string" && kept.anchor_base?.length === 16 && kept.anchor_base.every(Number.isFinite);
    return sound ? kept : undefined;
  } catch {
    return undefined;
  }
}
