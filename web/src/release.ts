/**
 * Calls `release` the moment the operator can no longer be sure what they command: the window lost
 * its focus, the tab was hidden or closed, or a touch was taken away by the system.
 */
export function onLossOfControl(release: () => void): void {
  window.addEventListener("blur", release);
  window.addEventListener("pointercancel", release);
  window.addEventListener("pagehide", release);
  document.addEventListener("visibilitychange", () => document.hidden && release());
  document.addEventListener("freeze", release);
}
