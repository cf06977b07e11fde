import { type Material, Mesh, MeshLambertMaterial, MeshStandardMaterial, type Object3D } from "three";

/**
 * Gives shapes a matt surface in place of one that glTF describes physically: the same colours and pictures, without
 * gloss. Where the processor draws, most of a picture's time is the gloss of every pixel.
 */
export function makeMatt(root: Object3D): void {
  root.traverse((node) => {
    if (!(node instanceof Mesh)) return;
    const own = node.material as Material | Material[];
    node.material = Array.isArray(own) ? own.map(matt) : matt(own);
  });
}

function matt(material: Material): Material {
  if (!(material instanceof MeshStandardMaterial)) return material;
  const { color, map, vertexColors, side, transparent, opacity, alphaTest, name } = material;
  material.dispose();
  return new MeshLambertMaterial({ color, map, vertexColors, side, transparent, opacity, alphaTest, name });
}
