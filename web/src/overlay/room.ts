import { CanvasTexture, Color, GridHelper, Mesh, MeshBasicMaterial, PlaneGeometry, Scene, SRGBColorSpace } from "three";

export const ROOM_COLOUR = new Color(0x2a2521);
export const PLAIN_COLOUR = new Color(0x8f8a84);

/** What stands behind a simulated robot: a floor that fades into the dark. */
export function makeRoom(): Scene {
  const scene = new Scene();
  const floor = new Mesh(new PlaneGeometry(9, 9), new MeshBasicMaterial({ map: pool(), transparent: true, depthWrite: false }));
  floor.rotation.x = -Math.PI / 2;
  floor.position.y = -0.002;
  const grid = new GridHelper(9, 18, 0x8a7763, 0x5b5148);
  for (const material of [grid.material].flat()) Object.assign(material, { transparent: true, opacity: 0.28 });
  scene.add(floor, grid);
  return scene;
}

/** A pool of light on the floor. */
function pool(): CanvasTexture {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 256;
  const draw = canvas.getContext("2d")!;
  const gradient = draw.createRadialGradient(128, 128, 4, 128, 128, 128);
  gradient.addColorStop(0, "rgba(148, 130, 112, 1)");
  gradient.addColorStop(0.35, "rgba(104, 91, 79, 0.9)");
  gradient.addColorStop(1, "rgba(42, 37, 33, 0)");
  draw.fillStyle = gradient;
  draw.fillRect(0, 0, 256, 256);
  const texture = new CanvasTexture(canvas);
  texture.colorSpace = SRGBColorSpace;
  return texture;
}
