import type { AvatarState, Event as AvatarEvent, LatestDown, ReliableDown, TaskState, Welcome } from "./messages";
import { ClockOffset, nowNs } from "./link/clock";

const EVENTS_KEPT = 100;

/** What this page knows of the avatar: the newest of each message. */
export class Known {
  welcome?: Welcome;
  state?: AvatarState;
  task?: TaskState;
  readonly events: AvatarEvent[] = [];
  readonly offset = new ClockOffset();

  /** Takes a message in. Returns false for one that is older than what is known. */
  take(message: LatestDown | ReliableDown): boolean {
    switch (message.type) {
      case "Welcome":
        this.welcome = message;
        break;
      case "AvatarState":
        // The latest channel may swap two messages; the newer one has the last word.
        if (this.state && message.seq <= this.state.seq) return false;
        // Loop and recording come only now and then: what was last said holds.
        this.state = { ...message, loop: message.loop ?? this.state?.loop ?? null, recording: message.recording ?? this.state?.recording ?? null };
        break;
      case "TaskState":
        this.task = message;
        break;
      case "SceneChanged":
        if (this.welcome) this.welcome = { ...this.welcome, scene: message.scene };
        break;
      case "Event":
        this.events.push(message);
        if (this.events.length > EVENTS_KEPT) this.events.shift();
        break;
      case "Pong":
        this.offset.add(message.sent_ns, message.received_ns, message.replied_ns, nowNs());
        break;
    }
    return true;
  }

  /** A session has ended: its clock, state and goals are void. */
  forget(): void {
    this.state = this.task = undefined;
    this.offset.reset();
  }
}
