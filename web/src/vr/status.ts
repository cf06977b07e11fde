import type { Known } from "../known";
import type { Link } from "../link/link";
import { handTrouble, MODE_NAMES, reasonText } from "../modes";
import type { Video } from "../video";
import type { PanelText } from "./panel";

/** What keeps the hands from following, as "Left: Out of reach"; empty while nothing does. */
export function handTroubles(known: Known): string {
  const { state } = known;
  const left = handTrouble(state?.left);
  const right = handTrouble(state?.right);
  return [left && `Left: ${left}`, right && `Right: ${right}`].filter(Boolean).join(" · ");
}

/** What the panel inside the headset says. */
export function panelText(link: Link, known: Known, video: Video): PanelText {
  const state = known.state;
  if (link.connection !== "connected" || !state) {
    const lost = link.connection === "lost";
    return { title: lost ? "Connection lost" : "Connecting", detail: "The avatar holds still.", figures: "", alarm: lost };
  }
  const event = known.events.at(-1);
  const out = handTroubles(known);
  const held = state.left.clutched || state.right.clutched;
  const driver = held ? "Let go of the grip, and the hand stays" : "Squeeze a grip to take that hand";
  const hint = link.role === "operator" ? driver : "Someone else is driving; you are watching";
  const reason = reasonText(state);
  const detail =
    state.mode === "stopped"
      ? `${reason ? `${reason}. ` : ""}A or X resumes`
      : out !== ""
        ? out
        : state.mode === "hold"
          ? hint
          : reason || hint;
  const age = video.age === undefined ? "–" : String(Math.round(video.age / 5) * 5);
  const delay = String(Math.round(state.frame_age_ms / 5) * 5);
  const fault = event?.level === "fault" && state.mode === "stopped" ? ` · ${event.text}` : "";
  return {
    title: state.mode === "fade" ? `${MODE_NAMES.fade} ${Math.round(state.fade * 10) * 10} %` : MODE_NAMES[state.mode],
    detail,
    figures: `Picture ${age} ms · command ${delay} ms${state.recording?.active ? " · recording" : ""}${fault}`,
    alarm: state.mode === "stopped" || out !== "",
  };
}
