import { Bone, Group, type Material, Matrix4, MeshBasicMaterial, type Object3D, Scene, Skeleton, SkinnedMesh, Vector3 as Point } from "three";
import { GLTFLoader } from "three/examples/jsm/loaders/GLTFLoader.js";
import type { HumanAnnotation, OverlaySolved, Vector3 } from "../messages";
import { Dress, type FingerAngles, type RestJoint } from "./dress";
import { BASE_GLTF } from "./frames";
import { daylight } from "./light";
import { makeMatt } from "./plainer";
import { rigOf } from "./rig";

/** The file's joints and the annotation must tell of the same body [m]. */
const SAME_PLACE_M = 0.05;

/** Depth alone, before a transparent human: so that its far side does not show through its near one. */
const DEPTH_ONLY = new MeshBasicMaterial({ colorWrite: false });

/**
 * The human model, in a scene of its own. Its bones hang in no tree: each gets its matrix from `Dress`, so a stretch
 * of the upper arm does not scale the hand.
 */
export class Human {
  readonly scene = new Scene();
  readonly base = new Group();
  private readonly posed: Matrix4[] = [];
  private rest: Matrix4[] = [];
  private bones: Bone[] = [];
  private joints: RestJoint[] = [];
  private dress?: Dress;
  private readonly meshes: SkinnedMesh[] = [];
  private opacity = 1;

  /** `matt`: without gloss, which costs much where the processor draws. */
  constructor(private readonly matt = false) {
    this.base.matrixAutoUpdate = false;
    this.base.visible = false;
    this.scene.add(this.base, daylight());
  }

  /** Throws with a sentence for people when the file is no human that fits its annotation. */
  async load(url: string, annotation: HumanAnnotation): Promise<void> {
    const { scene } = await new GLTFLoader().loadAsync(url);
    if (this.matt) makeMatt(scene);
    scene.updateMatrixWorld(true);
    const skins: SkinnedMesh[] = [];
    scene.traverse((node) => node instanceof SkinnedMesh && skins.push(node));
    if (skins.length === 0) throw new Error("the human's file has no skin");
    const nodes = [...new Set(skins.flatMap((skin) => skin.skeleton.bones))];
    const joints = restJoints(nodes);
    const rig = rigOf(scene);
    checkFit(joints, annotation);
    this.clear();
    this.joints = joints;
    this.rest = nodes.map((node) => BASE_GLTF.clone().multiply(node.matrixWorld));
    this.posed.length = 0;
    this.bones = nodes.map(() => {
      this.posed.push(new Matrix4());
      return new Bone();
    });
    this.dress = new Dress(joints, annotation, rig);
    for (const skin of skins) this.adopt(skin, nodes);
  }

  get loaded(): boolean {
    return this.dress !== undefined;
  }

  pose(solved: OverlaySolved, fingers: FingerAngles): void {
    if (!this.dress) return;
    this.dress.pose(solved, fingers, this.posed);
    this.bones.forEach((bone, index) => bone.matrixWorld.multiplyMatrices(this.posed[index]!, this.rest[index]!));
    this.base.visible = true;
  }

  /** The rest -> posed matrices that are drawn now, by joint, column by column. */
  get matrices(): Record<string, number[]> {
    return Object.fromEntries(this.joints.map(({ name }, index) => [name, this.posed[index]!.toArray()]));
  }

  /** Where a joint stands now, in the robot's base frame; undefined before the first pose. */
  place(name: string): Vector3 | undefined {
    const index = this.joints.findIndex((joint) => joint.name === name);
    if (index < 0 || !this.base.visible) return undefined;
    const p = new Point(...this.joints[index]!.position).applyMatrix4(this.posed[index]!);
    return [p.x, p.y, p.z];
  }

  /** Draws the human at this opacity over what is there. */
  draw(render: (scene: Scene) => void, opacity: number): void {
    if (!this.base.visible || opacity <= 0) return;
    this.fade(opacity);
    if (opacity < 1) {
      this.scene.overrideMaterial = DEPTH_ONLY;
      render(this.scene);
      this.scene.overrideMaterial = null;
    }
    render(this.scene);
  }

  private fade(opacity: number): void {
    if (opacity === this.opacity) return;
    this.opacity = opacity;
    for (const mesh of this.meshes) {
      for (const material of [mesh.material].flat()) {
        if (material.transparent !== opacity < 1) material.needsUpdate = true;
        material.transparent = opacity < 1;
        material.opacity = opacity;
      }
    }
  }

  private adopt(skin: SkinnedMesh, nodes: Object3D[]): void {
    const { bones, boneInverses } = skin.skeleton;
    const own = bones.map((bone) => this.bones[nodes.indexOf(bone)]!);
    skin.removeFromParent();
    skin.matrixAutoUpdate = false;
    skin.matrix.identity();
    skin.frustumCulled = false;
    // The bones say where the skin is in the base frame; the node of the mesh adds nothing.
    skin.bindMode = "detached";
    skin.bind(new Skeleton(own, boneInverses), new Matrix4());
    this.meshes.push(skin);
    this.base.add(skin);
  }

  private clear(): void {
    for (const mesh of this.meshes) {
      mesh.geometry.dispose();
      mesh.skeleton.dispose();
      for (const material of [mesh.material].flat() as Material[]) material.dispose();
    }
    this.meshes.length = 0;
    this.base.clear();
    this.base.visible = false;
    this.opacity = 1;
  }
}

function restJoints(nodes: readonly Object3D[]): RestJoint[] {
  // A parent has to stand before its children: the file need not list them so.
  const depth = (node: Object3D | null): number => (node ? depth(node.parent) + 1 : 0);
  (nodes as Object3D[]).sort((a, b) => depth(a) - depth(b));
  return nodes.map((node) => {
    const p = new Point().setFromMatrixPosition(node.matrixWorld).applyMatrix4(BASE_GLTF);
    let parent = node.parent;
    while (parent && !nodes.includes(parent)) parent = parent.parent;
    return { name: node.name, parent: parent ? nodes.indexOf(parent) : -1, position: [p.x, p.y, p.z] };
  });
}

function checkFit(joints: readonly RestJoint[], { arms }: HumanAnnotation): void {
  (["left", "right"] as const).forEach((side, index) => {
    const { shoulder, elbow, wrist } = arms[index]!;
    const wanted: [string, Vector3][] = [[`${side}_upper_arm`, shoulder], [`${side}_forearm`, elbow], [`${side}_hand`, wrist]];
    for (const [name, place] of wanted) {
      const joint = joints.find((each) => each.name === name);
      if (!joint) throw new Error(`the human's file has no joint ${name}`);
      const away = Math.hypot(...joint.position.map((value, axis) => value - place[axis]!));
      if (!(away < SAME_PLACE_M)) throw new Error(`the joint ${name} of the human's file is ${away.toFixed(2)} m from its annotation`);
    }
  });
}

