import { CapsuleGeometry, Group, Mesh, MeshBasicMaterial } from "three";
import type { HandInput } from "../messages";
import { orientationToXr, positionToXr } from "./axes";

const RESTING = 0xd3c5b3;
const MOVING = 0xf3ae6b;
const UNREACHABLE = 0xff6a55;

/** A simple hand where the operator's controller is: a palm with two fingers that close. */
export class Ghost {
  readonly group = new Group();
  private readonly material = new MeshBasicMaterial({ color: RESTING, transparent: true, opacity: 0.55 });
  private readonly fingers: Mesh[];

  constructor() {
    const palm = new Mesh(new CapsuleGeometry(0.028, 0.05, 4, 10), this.material);
    palm.rotation.x = Math.PI / 2;
    const finger = new CapsuleGeometry(0.009, 0.055, 3, 8).rotateX(Math.PI / 2).translate(0, 0, -0.034);
    this.fingers = [-1, 1].map((side) => {
      const mesh = new Mesh(finger, this.material);
      mesh.position.set(side * 0.022, 0, -0.045);
      return mesh;
    });
    this.group.add(palm, ...this.fingers);
    this.group.visible = false;
  }

  update(hand: HandInput, reachable: boolean): void {
    this.group.visible = hand.tracked;
    if (!hand.tracked) return;
    const { x, y, z } = positionToXr(hand.position);
    const q = orientationToXr(hand.orientation);
    this.group.position.set(x, y, z);
    this.group.quaternion.set(q.x, q.y, q.z, q.w);
    this.material.color.setHex(!hand.clutch ? RESTING : reachable ? MOVING : UNREACHABLE);
    this.material.opacity = hand.clutch ? 0.85 : 0.55;
    this.fingers.forEach((finger, index) => {
      finger.rotation.y = (index === 0 ? 1 : -1) * (0.45 - 0.7 * hand.fingers[1]);
    });
  }

  dispose(): void {
    this.material.dispose();
    this.group.traverse((child) => child instanceof Mesh && child.geometry.dispose());
  }
}
