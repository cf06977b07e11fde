import { BoxGeometry, Color, Group, Mesh, MeshBasicMaterial, MeshLambertMaterial, MeshStandardMaterial } from "three";
import { expect, test } from "vitest";
import { makeMatt } from "../../src/overlay/plainer";

test("a glossy surface becomes matt and keeps its colour and its sides", () => {
  const mesh = new Mesh(new BoxGeometry(), new MeshStandardMaterial({ color: 0x336699, vertexColors: true, roughness: 0.2 }));
  makeMatt(new Group().add(mesh));
  const matt = mesh.material as unknown as MeshLambertMaterial;
  expect(matt).toBeInstanceOf(MeshLambertMaterial);
  expect(matt.color.equals(new Color(0x336699))).toBe(true);
  expect(matt.vertexColors).toBe(true);
});

test("each of several surfaces is changed, and one that has no gloss is left", () => {
  const plain = new MeshBasicMaterial();
  const mesh = new Mesh(new BoxGeometry(), [new MeshStandardMaterial(), plain]);
  makeMatt(mesh);
  const [first, second] = mesh.material;
  expect(first).toBeInstanceOf(MeshLambertMaterial);
  expect(second).toBe(plain);
});
