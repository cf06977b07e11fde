/** Why this browser cannot drive the avatar, with the remedy, or nothing when it can. */
export function missing(): string | undefined {
  if (!("RTCPeerConnection" in window)) {
    return "This browser has no WebRTC: open this page in a current Chrome, Edge, Firefox, Safari or Quest browser.";
  }
  const codecs = RTCRtpReceiver.getCapabilities?.("video")?.codecs.map((codec) => codec.mimeType.toLowerCase());
  if (codecs && !codecs.includes("video/h264") && !codecs.includes("video/vp8")) {
    return "This browser can decode neither H.264 nor VP8: enable WebRTC video or use a current Chrome or Firefox.";
  }
  if (!("Worker" in window)) {
    return "This browser blocks web workers, which keep the hands steady: allow them for this page.";
  }
  return undefined;
}
