import { Color, Group, Material, Mesh, MeshBasicMaterial, type Object3D, Scene } from "three";
import { GLTFLoader } from "three/examples/jsm/loaders/GLTFLoader.js";
import type { OverlayFrame } from "../messages";
import { turnOf } from "./dress";
import { daylight } from "./light";
import { makeMatt } from "./plainer";

export type RobotPart = "all" | "arms" | "rest";

/** The robot's shape, in a scene of its own: link nodes of a glTF file, put where each frame says. */
export class Robot {
  readonly scene = new Scene();
  readonly base = new Group();
  private readonly arms = new Group();
  private readonly rest = new Group();
  private links: (Object3D | undefined)[] = [];

  /** `matt`: without gloss, which costs much where the processor draws. */
  constructor(private readonly matt = false) {
    this.base.matrixAutoUpdate = false;
    this.base.add(this.arms, this.rest);
    this.scene.add(this.base, daylight());
  }

  /** Resolves with the names of links that the file does not have. */
  async load(url: string, names: readonly string[]): Promise<string[]> {
    const { scene } = await new GLTFLoader().loadAsync(url);
    if (this.matt) makeMatt(scene);
    scene.updateMatrixWorld(true);
    const found = new Map<string, Object3D>();
    // The loader changes names that its animations cannot spell, and keeps the file's own beside.
    scene.traverse((node) => found.set(String(node.userData["name"] ?? node.name), node));
    this.clear();
    this.links = names.map((name) => found.get(name));
    const isArm = armsOf(names);
    this.links.forEach((link, index) => {
      if (!link) return;
      link.scale.set(1, 1, 1);
      link.visible = false;
      link.traverse((part) => (part.frustumCulled = false));
      (isArm[index] ? this.arms : this.rest).add(link);
    });
    return names.filter((_, index) => !this.links[index]);
  }

  get loaded(): boolean {
    return this.links.length > 0;
  }

  pose({ links_p, links_q }: OverlayFrame): void {
    this.links.forEach((link, index) => {
      const p = links_p[index];
      const q = links_q[index];
      if (!link || !p || !q) return;
      link.position.set(...p);
      link.quaternion.copy(turnOf(q));
      link.visible = true;
    });
  }

  /** Which parts the next rendering shows. */
  show(part: RobotPart): void {
    this.arms.visible = part !== "rest";
    this.rest.visible = part !== "arms";
  }

  private clear(): void {
    for (const group of [this.arms, this.rest]) {
      group.traverse((node) => {
        if (!(node instanceof Mesh)) return;
        node.geometry.dispose();
        for (const material of [node.material].flat() as Material[]) material.dispose();
      });
      group.clear();
    }
    this.links = [];
  }
}

/** The overlay ratio counts arms (ONIA, eq. 20): links whose names begin with a side, or all where none does. */
export function armsOf(names: readonly string[]): boolean[] {
  const sided = names.map((name) => /^(left|right)_/.test(name));
  return sided.some(Boolean) ? sided : sided.map(() => true);
}

/** Writes depth and no colour: hides what is behind. */
export const OCCLUDER = new MeshBasicMaterial({ colorWrite: false });

export function flat(colour: number): MeshBasicMaterial {
  return new MeshBasicMaterial({ color: new Color(colour), toneMapped: false });
}
