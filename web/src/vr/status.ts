import type { Known } from "../known";
import type { Link } from "../link/link";
import { MODE_NAMES, reasonText } from "../modes";
import type { Video } from "../video";
import type { PanelText } from "./panel";

/** What the panel inside the headset says. */
export function panelText(link: Link, known: Known, video: Video): PanelText {
  const state = known.state;
  if (link.connection !== "connected" || !state) {
    const lost = link.connection === "lost";
    return { title: lost ? "Connection lost" : "Connecting", detail: "The avatar holds still.", figures: "", alarm: lost };
  }
  const event = known.events.at(-1);
  const out = (["left", "right"] as const).filter((side) => state[side].clutched && !state[side].reachable);
  const held = state.left.clutched || state.right.clutched;
  const driver = held ? "Let go of the grip, and the hand stays" : "Squeeze a grip to take that hand";
  const hint = link.role === "operator" ? driver : "Someone else is driving; you are watching";
  const reason = reasonText(state);
  const detail =
    state.mode === "stopped"
      ? `${reason ? `${reason}. ` : ""}A or X resumes`
      : out.length > 0
        ? `Out of reach: ${out.join(" and ")}`
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
    alarm: state.mode === "stopped" || out.length > 0,
  };
}
