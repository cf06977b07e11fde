/**
 * Calls back `rateHz` times a second from a worker's timer: timers of the page itself are slowed
 * down when it is in the background, and animation frames stop there.
 */
export function startTicker(rateHz: number, tick: () => void): void {
  const worker = new Worker(new URL("./tickerWorker.ts", import.meta.url), { type: "module" });
  worker.onmessage = tick;
  worker.postMessage(1000 / rateHz);
}
