import type { Quaternion, Vector3 } from "./messages";

/** Quaternions w, x, y, z, as on the wire. */
export const IDENTITY: Quaternion = [1, 0, 0, 0];

export function multiply(a: Quaternion, b: Quaternion): Quaternion {
  const [aw, ax, ay, az] = a;
  const [bw, bx, by, bz] = b;
  return [
    aw * bw - ax * bx - ay * by - az * bz,
    aw * bx + ax * bw + ay * bz - az * by,
    aw * by - ax * bz + ay * bw + az * bx,
    aw * bz + ax * by - ay * bx + az * bw,
  ];
}

export function conjugate([w, x, y, z]: Quaternion): Quaternion {
  return [w, -x, -y, -z];
}

export function normalized(q: Quaternion): Quaternion {
  const norm = Math.hypot(...q);
  return q.map((value) => value / norm) as Quaternion;
}

/** The rotation by `angle` [rad] about the unit vector `axis`. */
export function about(axis: Vector3, angle: number): Quaternion {
  const s = Math.sin(angle / 2);
  return [Math.cos(angle / 2), axis[0] * s, axis[1] * s, axis[2] * s];
}

export function rotate(q: Quaternion, v: Vector3): Vector3 {
  const [, x, y, z] = multiply(multiply(q, [0, ...v]), conjugate(q));
  return [x, y, z];
}

/** The heading of a rotation about z (up) [rad]. */
export function yawOf([w, x, y, z]: Quaternion): number {
  return Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z));
}
