import { metaQuest3, XRDevice } from "iwer";

/** An emulated Quest 3, for tests and for looking at the headset view without one: `window.xrDevice` moves it. */
export function emulateHeadset(): void {
  const device = new XRDevice(metaQuest3);
  device.installRuntime({ forceInstall: true });
  device.stereoEnabled = true;
  // iwer calls every position emulated, which a real headset says only when it has lost a controller.
  Object.defineProperty(XRPose.prototype, "emulatedPosition", { get: () => false });
  (window as { xrDevice?: XRDevice }).xrDevice = device;
}
