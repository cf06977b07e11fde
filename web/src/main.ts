import { App } from "./app";
import { byId, setText } from "./hud/dom";
import { missing } from "./requirements";

async function main(): Promise<void> {
  const problem = missing();
  if (problem) {
    setText(byId("fatal-text"), problem);
    byId<HTMLDialogElement>("fatal").showModal();
    return;
  }
  // For tests without a headset: /?emulate-xr
  if (new URLSearchParams(location.search).has("emulate-xr")) (await import("./emulate")).emulateHeadset();
  new App().start();
}

void main();
