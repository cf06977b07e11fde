import type { Quaternion } from "../messages";
import { about, multiply } from "../quaternion";

const YAW_MOST = 1.4;
const PITCH_UP = -0.8;
const PITCH_DOWN = 1.1;

/** Where a desktop operator looks: yaw to the left and pitch downwards [rad], from straight ahead. */
export class Look {
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
    return multiply(about([0, 0, 1], this.yaw), about([0, 1, 0], this.pitch));
  }
}
