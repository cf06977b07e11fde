import { OverlayApp } from "./app";
import { byId, setHidden, setText } from "../hud/dom";

async function main(): Promise<void> {
  // For tests without a headset: /overlay?emulate-xr
  if (new URLSearchParams(location.search).has("emulate-xr")) (await import("../emulate")).emulateHeadset();
  try {
    new OverlayApp().start();
  } catch (error) {
    // three.js throws where there is no WebGL 2: nothing can be drawn then.
    console.error(error);
    setText(byId("sign-text"), "This browser draws no 3D pictures: switch on WebGL 2, or use a current Chrome, Edge, Firefox or Safari.");
    setHidden(byId("sign"), false);
  }
}

void main();
