import type { Vector3 } from "../messages";

/** The avatar's normal top speeds (AVATRINA): m/s, m/s, rad/s. */
const NORMAL: Vector3 = [0.2, 0.2, 0.5];
/** In the fast mode, in which the avatar slows down by itself before what its range finders see. */
const FAST: Vector3 = [1, 1, 0.5];

/** The twist that is wanted of the base, from -1 to 1 for forward, left and turn to the left. */
export function baseTwist(wanted: readonly number[], fast: boolean): Vector3 {
  return (fast ? FAST : NORMAL).map((most, i) => most * Math.min(1, Math.max(-1, wanted[i] ?? 0))) as Vector3;
}
