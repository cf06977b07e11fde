import { DirectionalLight, Group, HemisphereLight } from "three";

/** A bright room: sky from above, one window, a little from behind so that outlines show. */
export function daylight(): Group {
  const group = new Group();
  const window = new DirectionalLight(0xfff2e0, 2.4);
  window.position.set(1.5, 3, 0.5);
  const behind = new DirectionalLight(0xcfe0ff, 0.9);
  behind.position.set(-2, 2, 2.5);
  const front = new DirectionalLight(0xffffff, 0.8);
  front.position.set(-0.5, 1.2, -3);
  group.add(new HemisphereLight(0xf4f1ec, 0x6b6259, 1.1), window, behind, front);
  return group;
}
