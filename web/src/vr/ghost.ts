import { CapsuleGeometry, Group, Mesh, MeshBasicMaterial, SphereGeometry } from "three";
import type { HandInput } from "../messages";
import { orientationToXr, positionToXr } from "./axes";

const RESTING = 0xd3c5b3;
const MOVING = 0xf3ae6b;
const UNREACHABLE = 0xff6a55;

/** A simple hand where the operator's controller is: a flat palm, a thumb and four fingers that close. */
export class Ghost {
  readonly group = new Group();
  private readonly material = new MeshBasicMaterial({ color: RESTING, transparent: true, opacity: 0.55 });
  private readonly fingers: Mesh[];

  constructor(side: "left" | "right") {
    const palm = new Mesh(new SphereGeometry(1, 16, 10), this.material);
    palm.scale.set(0.041, 0.014, 0.05);
    const finger = new CapsuleGeometry(0.008, 0.05, 3, 8).rotateX(Math.PI / 2).translate(0, 0, -0.03);
    this.fingers = [-1.5, -0.5, 0.5, 1.5].map((place) => {
      const mesh = new Mesh(finger, this.material);
      mesh.position.set(place * 0.02, 0, -0.04 + 0.004 * Math.abs(place));
      return mesh;
    });
    const thumb = new Mesh(finger, this.material);
    const inwards = side === "left" ? 1 : -1;
    thumb.position.set(inwards * 0.034, 0, 0.012);
    thumb.rotation.y = -inwards * 0.7;
    this.group.add(palm, thumb, ...this.fingers);
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
    for (const finger of this.fingers) finger.rotation.x = -1.3 * hand.fingers[1];
  }

  dispose(): void {
    this.material.dispose();
    this.group.traverse((child) => child instanceof Mesh && child.geometry.dispose());
  }
}
