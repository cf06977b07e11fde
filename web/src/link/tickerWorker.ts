// Timers round to whole milliseconds, so each wait is measured against the ideal time of its tick.
self.onmessage = ({ data: period }: MessageEvent<number>) => {
  let due = performance.now();
  const tick = () => {
    self.postMessage(0);
    const now = performance.now();
    due = Math.max(due + period, now - period);
    setTimeout(tick, Math.max(0, due - now));
  };
  tick();
};
