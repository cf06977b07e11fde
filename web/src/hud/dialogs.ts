import { byId } from "./dom";
import { fillHelp } from "./help";

const WELCOMED = "elsewhere.welcomed";

/** The cards: welcome, help, reset. All are modal; driving stops under them. */
export class Dialogs {
  private readonly welcome = byId<HTMLDialogElement>("welcome");
  private readonly help = byId<HTMLDialogElement>("help");
  private readonly reset = byId<HTMLDialogElement>("ask-reset");

  constructor(
    private readonly onOpen: () => void,
    onReset: (another: boolean) => void,
  ) {
    fillHelp();
    for (const dialog of [this.welcome, this.help, this.reset]) {
      dialog.addEventListener("close", focusView);
      dialog.addEventListener("click", (event) => event.target === dialog && dialog !== this.welcome && shut(dialog));
    }
    this.welcome.addEventListener("close", () => remember());
    byId("start-driving").addEventListener("click", () => shut(this.welcome));
    byId("help-button").addEventListener("click", () => this.showHelp());
    byId("help-close").addEventListener("click", () => shut(this.help));
    this.help.addEventListener("keydown", (event) => event.key === "?" && shut(this.help));
    byId("reset-cancel").addEventListener("click", () => shut(this.reset));
    byId("reset-same").addEventListener("click", () => (shut(this.reset), onReset(false)));
    byId("reset-new").addEventListener("click", () => (shut(this.reset), onReset(true)));
  }

  showWelcome(): void {
    if (!remembered()) this.open(this.welcome);
    else focusView();
  }

  showHelp(): void {
    this.open(this.help);
  }

  askReset(): void {
    this.open(this.reset);
  }

  closeAll(): void {
    for (const dialog of [this.welcome, this.help, this.reset]) if (dialog.open) shut(dialog);
  }

  private open(dialog: HTMLDialogElement): void {
    this.onOpen();
    if (!dialog.open) dialog.showModal();
  }
}

/** The event "close" comes a moment later: a key pressed in between would still go to the card's button. */
function shut(dialog: HTMLDialogElement): void {
  dialog.close();
  focusView();
}

function focusView(): void {
  byId("view").focus({ preventScroll: true });
}

// Storage can be forbidden; then the card is simply shown again.
function remembered(): boolean {
  try {
    return localStorage.getItem(WELCOMED) !== null;
  } catch {
    return false;
  }
}

function remember(): void {
  try {
    localStorage.setItem(WELCOMED, "1");
  } catch {
    return;
  }
}
