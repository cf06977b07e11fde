/** Soft beeps. Silent until the operator turns them on; browsers allow sound only after a click or key. */
export class Sound {
  on = false;
  private context?: AudioContext;
  private nextNear = 0;

  toggle(): void {
    this.on = !this.on;
    this.context ??= new AudioContext();
    if (this.on) void this.context.resume().then(() => this.beep(660, 0.08));
  }

  connected(): void {
    this.beep(523, 0.07);
    this.beep(784, 0.1, 0.09);
  }

  lost(): void {
    this.beep(392, 0.1);
    this.beep(262, 0.18, 0.12);
  }

  fault(): void {
    this.beep(330, 0.16);
  }

  /** Beeps faster the nearer something is [m]. */
  near(distance: number): void {
    const now = performance.now();
    if (now < this.nextNear) return;
    this.nextNear = now + Math.min(1000, Math.max(140, distance * 1500));
    this.beep(880, 0.04);
  }

  private beep(hertz: number, seconds: number, delay = 0): void {
    const context = this.context;
    if (!this.on || !context) return;
    const at = context.currentTime + delay;
    const tone = context.createOscillator();
    const gain = context.createGain();
    tone.frequency.value = hertz;
    gain.gain.setValueAtTime(0, at);
    gain.gain.linearRampToValueAtTime(0.06, at + 0.01);
    gain.gain.exponentialRampToValueAtTime(0.0005, at + seconds);
    tone.connect(gain).connect(context.destination);
    tone.start(at);
    tone.stop(at + seconds + 0.02);
  }
}
