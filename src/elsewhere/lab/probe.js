// Injected into the operator page before its own scripts, by elsewhere.lab.probe. It listens only:
// what arrives on the data channels, which frames the page's video shows, which input events come.
// `layout` (from elsewhere.presence.framestamp) is put in by Python.
(() => {
  const layout = /*LAYOUT*/ { bits: 40, blockWidth: 16, blockHeight: 8 };
  const width = layout.bits * layout.blockWidth;
  const probe = { frames: [], stamps: [], inputs: [], unreadable: 0 };

  const checksum = (number) => {
    let crc = 0;
    for (const shift of [24, 16, 8, 0]) {
      crc ^= (number >>> shift) & 0xff;
      for (let i = 0; i < 8; i++) crc = ((crc << 1) ^ (crc & 0x80 ? 0x07 : 0)) & 0xff;
    }
    return crc ^ 0xa5;
  };

  // The number in a strip of luma, `stride` bytes a row, or -1 when there is none.
  probe.decode = (luma, stride) => {
    const bits = [];
    for (let block = 0; block < layout.bits; block++) {
      let sum = 0;
      for (let y = 2; y < 6; y++)
        for (let x = 4; x < 12; x++) sum += luma[y * stride + block * layout.blockWidth + x];
      bits.push(sum > 128 * 32 ? 1 : 0);
    }
    const value = (from, to) => bits.slice(from, to).reduce((total, bit) => total * 2 + bit, 0);
    const number = value(0, 32);
    return value(32, 40) === checksum(number) ? number : -1;
  };

  // The number in a VideoFrame. A decoded frame is planar with luma first: only the strip is copied.
  // Drawing the video on a canvas instead would wait for the graphics process, for tens of milliseconds.
  probe.read = async (frame) => {
    try {
      const options = { rect: { x: 0, y: 0, width, height: layout.blockHeight } };
      const planar = /^(I4|NV12)/.test(frame.format ?? "");
      if (!planar) options.format = "RGBA";
      const pixels = new Uint8Array(frame.allocationSize(options));
      const [{ offset, stride }] = await frame.copyTo(pixels, options);
      if (planar) return probe.decode(pixels.subarray(offset), stride);
      const luma = new Float32Array(width * layout.blockHeight);
      for (let i = 0; i < luma.length; i++) luma[i] = (pixels[4 * i] + pixels[4 * i + 1] + pixels[4 * i + 2]) / 3;
      return probe.decode(luma, width);
    } catch {
      return -1;
    } finally {
      frame.close();
    }
  };

  const watched = new WeakSet();
  const watch = (video) => {
    if (watched.has(video)) return;
    watched.add(video);
    const next = (now, metadata) => {
      const began = performance.now();
      video.requestVideoFrameCallback(next);
      const frame = new VideoFrame(video);
      const busy = performance.now() - began;
      probe.read(frame).then((number) => {
        if (number < 0) probe.unreadable += 1;
        probe.frames.push([number, now, metadata.expectedDisplayTime, metadata.rtpTimestamp ?? -1,
          metadata.presentedFrames, busy]);
      });
    };
    video.requestVideoFrameCallback(next);
  };

  // Every video element that is given a stream, wherever the page keeps it.
  const source = Object.getOwnPropertyDescriptor(HTMLMediaElement.prototype, "srcObject");
  Object.defineProperty(HTMLMediaElement.prototype, "srcObject", {
    ...source,
    set(stream) {
      source.set.call(this, stream);
      if (stream && this instanceof HTMLVideoElement) watch(this);
    },
  });

  // Small messages of the data channels (a video stamp has about 100 bytes), undecoded: Python knows the schema.
  const listen = (channel) =>
    channel.addEventListener("message", ({ data }) => {
      if (data instanceof ArrayBuffer && data.byteLength < 200)
        probe.stamps.push(btoa(String.fromCharCode(...new Uint8Array(data))));
    });
  const Native = window.RTCPeerConnection;
  window.RTCPeerConnection = class extends Native {
    constructor(...options) {
      super(...options);
      this.addEventListener("datachannel", ({ channel }) => channel.label === "latest" && listen(channel));
    }
  };

  for (const type of ["pointerrawupdate", "pointermove"])
    window.addEventListener(type, (event) => {
      probe.inputs.push([event.timeStamp, performance.now(), event.clientX, event.clientY]);
    }, { capture: true, passive: true });

  // All that came since the last call.
  probe.take = () => {
    const { frames, stamps, inputs, unreadable } = probe;
    Object.assign(probe, { frames: [], stamps: [], inputs: [], unreadable: 0 });
    return { frames, stamps, inputs, unreadable };
  };
  window.elsewhereProbe = probe;
})();
