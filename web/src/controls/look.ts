import type { Quaternion } from "../messages";
import { about, conjugate, IDENTITY, multiply } from "../quaternion";

const YAW_MOST = 1.4;
const PITCH_UP = -0.8;
const PITCH_DOWN = 1.1;

/**
 * Where a desktop operator looks: yaw to the left and pitch downwards [rad], from straight ahead.
 *
 * The avatar turns its head to R_home R_operator. Its home looks down on the table, so a plain yaw
 * would turn about a tilted axis and tip the horizon; R_operator is chosen so that it stays level.
 */
export class Look {
  /** The avatar's head when we look straight ahead. */
  home: Quaternion = IDENTITY;
  yaw = 0;
  pitch = 0;

  turn(yaw: number, pitch: number): void {
    this.yaw = Math.min(YAW_MOST, Math.max(-YAW_MOST, this.yaw + yaw));
    this.pitch = Math.min(PITCH_DOWN, Math.max(PITCH_UP, this.pitch + pitch));
  }

  straight(): void {
    this.yaw = this.pitch = 0;
  }

  get orientation(): Quaternion {
    const wanted = multiply(multiply(about([0, 0, 1], this.yaw), this.home), about([0, 1, 0], this.pitch));
    return multiply(conjugate(this.home), wanted);
  }
}
