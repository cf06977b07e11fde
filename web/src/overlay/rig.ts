import type { Object3D } from "three";
import type { Vector3 } from "../messages";

// What a human's file says of itself beside its skeleton: `extras.elsewhere_human` of bodies/human/gltf.py.

/** A finger's joint: it turns by `share` of the angle `group` (thumb, index, others) about `axis`. */
export interface Hinge {
  side: 0 | 1;
  group: 0 | 1 | 2;
  axis: Vector3;
  share: number;
}

/** A joint that keeps the skin round: at `share` of its bone, or half way round the elbow. */
export interface Helper {
  side: 0 | 1;
  kind: "twist" | "halfway";
  bone: "upper_arm" | "forearm";
  share: number;
  /** Where along the bone the bone's own joint holds. */
  own_share: number;
}

/** Both by the names of their joints. */
export interface HumanRig {
  hinges: Record<string, Hinge>;
  helpers: Record<string, Helper>;
}

interface Annotated {
  fingers?: { group: 0 | 1 | 2; joints: string[]; axes: Vector3[]; shares: number[] }[][];
  helpers?: (Helper & { joint: string })[];
}

/** A file without these extras has stiff fingers and no helpers. */
export function rigOf(scene: Object3D): HumanRig {
  const rig: HumanRig = { hinges: {}, helpers: {} };
  scene.traverse((node) => {
    const annotated = node.userData["elsewhere_human"] as Annotated | undefined;
    annotated?.fingers?.forEach((fingers, side) => {
      for (const { group, joints, axes, shares } of fingers) {
        joints.forEach((joint, k) => (rig.hinges[joint] = { side: side as 0 | 1, group, axis: fromGltf(axes[k]!), share: shares[k]! }));
      }
    });
    for (const { joint, ...helper } of annotated?.helpers ?? []) rig.helpers[joint] = helper;
  });
  return rig;
}

/** glTF: x left, y up, z forward. */
function fromGltf([x, y, z]: Vector3): Vector3 {
  return [z, x, y];
}
