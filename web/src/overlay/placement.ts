import { Matrix4, Vector3 as Point } from "three";
import { WORLD_BASE } from "./frames";

interface XYZ {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

/** Where the robot's base stands in the viewer's room (WebXR: y up), upright: a point and a heading. */
export class Placement {
  readonly at = new Point();
  /** About the vertical [rad]. */
  yaw = 0;

  /** Stands here, with its front towards the viewer. */
  put(at: XYZ, viewer: XYZ): void {
    this.at.set(at.x, at.y, at.z);
    const [dx, dz] = [viewer.x - at.x, viewer.z - at.z];
    // The base's x axis points along (-sin yaw, 0, -cos yaw).
    if (Math.hypot(dx, dz) > 1e-6) this.yaw = Math.atan2(-dx, -dz);
  }

  turn(angle: number): void {
    this.yaw += angle;
  }

  /** By metres as the viewer sees it: to the right, up, and away. */
  nudge(right: number, up: number, away: number, viewer: XYZ): void {
    const [dx, dz] = [this.at.x - viewer.x, this.at.z - viewer.z];
    const far = Math.hypot(dx, dz);
    const [ax, az] = far > 1e-6 ? [dx / far, dz / far] : [0, -1];
    this.at.x += away * ax - right * az;
    this.at.y += up;
    this.at.z += away * az + right * ax;
  }

  /** base -> room. */
  get matrix(): Matrix4 {
    return new Matrix4().makeRotationY(this.yaw).setPosition(this.at).multiply(WORLD_BASE);
  }

  /** Takes place and heading of base -> room; the robot stands upright, so a tilt is noise. */
  set matrix(worldBase: Matrix4) {
    this.at.setFromMatrixPosition(worldBase);
    const [x, , z] = new Point().setFromMatrixColumn(worldBase, 0).toArray();
    if (Math.hypot(x, z) > 1e-6) this.yaw = Math.atan2(-x, -z);
  }
}
