import { Matrix4 } from "three";

// Three frames meet here. Elsewhere: x forward, y left, z up. three.js and WebXR: x right, y up, -z forward.
// glTF files: x left, y up, z forward. Cameras of the tracker (OpenCV): x right, y down, z forward.

/** Elsewhere -> three.js, as `vr/axes.ts` does it for points. */
export const WORLD_BASE = new Matrix4().set(0, -1, 0, 0, 0, 0, 1, 0, -1, 0, 0, 0, 0, 0, 0, 1);
/** glTF -> Elsewhere. */
export const BASE_GLTF = new Matrix4().set(0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1);
/** OpenCV camera -> three.js camera. */
export const EYE_CAMERA = new Matrix4().makeScale(1, -1, -1);
