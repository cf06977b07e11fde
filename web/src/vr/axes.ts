import type { Quaternion, Vector3 } from "../messages";

// WebXR and three.js: x right, y up, -z forward, quaternions x, y, z, w. Elsewhere: x forward, y left,
// z up, quaternions w, x, y, z. This file is the only place where one becomes the other. The map is a
// rotation, so the vector part of a quaternion changes exactly as a point does.

interface XYZ {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

interface XYZW extends XYZ {
  readonly w: number;
}

export function positionFromXr({ x, y, z }: XYZ): Vector3 {
  return [-z, -x, y];
}

export function orientationFromXr({ x, y, z, w }: XYZW): Quaternion {
  return [w, -z, -x, y];
}

export function positionToXr([x, y, z]: Vector3): XYZ {
  return { x: -y, y: z, z: -x };
}

export function orientationToXr([w, x, y, z]: Quaternion): XYZW {
  return { x: -y, y: z, z: -x, w };
}
