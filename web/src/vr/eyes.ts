import { Group, type Material, Mesh, MeshBasicMaterial, PlaneGeometry, SRGBColorSpace, type Texture, VideoTexture } from "three";
import type { Quaternion } from "../messages";
import { orientationToXr } from "./axes";

const DISTANCE_M = 2;

/**
 * The avatar's two pictures, one for each eye of the operator.
 *
 * Each hangs where the robot's head pointed when it was taken, not where the operator's head points
 * now: so turning one's head moves the gaze over the picture at once, and the picture follows later.
 */
export class Eyes {
  readonly group = new Group();
  private readonly eyes: [Group, Group] = [new Group(), new Group()];
  private readonly texture: Texture;
  private readonly planes: Mesh<PlaneGeometry, Material>[] = [];

  constructor(video: HTMLVideoElement, fovDeg: number, eyeAspect: number) {
    this.texture = new VideoTexture(video);
    this.texture.colorSpace = SRGBColorSpace;
    const height = 2 * DISTANCE_M * Math.tan((fovDeg * Math.PI) / 360);
    this.eyes.forEach((eye, index) => {
      const geometry = new PlaneGeometry(height * eyeAspect, height);
      const uv = geometry.getAttribute("uv");
      for (let i = 0; i < uv.count; i++) uv.setX(i, (uv.getX(i) + index) / 2);
      const material = new MeshBasicMaterial({ map: this.texture, toneMapped: false, depthTest: false, depthWrite: false });
      const plane = new Mesh(geometry, material);
      plane.position.z = -DISTANCE_M;
      // three.js shows layer 1 to the left eye alone, layer 2 to the right.
      plane.layers.set(index + 1);
      plane.frustumCulled = false;
      plane.renderOrder = -1;
      eye.add(plane);
      this.planes.push(plane);
      this.group.add(eye);
    });
  }

  /** `head`: the robot's head of the shown frame, in the operator's room. Each picture stands around its own eye. */
  pose(viewer: XRViewerPose, head: Quaternion): void {
    const { x, y, z, w } = orientationToXr(head);
    this.eyes.forEach((eye, index) => {
      const name = index === 0 ? "left" : "right";
      const view = viewer.views.find((each) => each.eye === name) ?? viewer.views[0];
      const at = (view ?? viewer).transform.position;
      eye.position.set(at.x, at.y, at.z);
      eye.quaternion.set(x, y, z, w);
    });
  }

  dispose(): void {
    this.texture.dispose();
    for (const plane of this.planes) {
      plane.geometry.dispose();
      plane.material.dispose();
    }
  }
}
