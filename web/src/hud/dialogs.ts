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
    const view = byId("view");
    for (const dialog of [this.welcome, this.help, this.reset]) {
      dialog.addEventListener("close", () => view.focus({ preventScroll: true }));
      dialog.addEventListener("click", (event) => event.target === dialog && dialog !== this.welcome && dialog.close());
    }
    this.welcome.addEventListener("close", () => remember());
    byId("start-driving").addEventListener("click", () => this.welcome.close());
    byId("help-button").addEventListener("click", () => this.showHelp());
    byId("help-close").addEventListener("click", () => this.help.close());
    this.help.addEventListener("keydown", (event) => event.key === "?" && this.help.close());
    byId("reset-cancel").addEventListener("click", () => this.reset.close());
    byId("reset-same").addEventListener("click", () => (this.reset.close(), onReset(false)));
    byId("reset-new").addEventListener("click", () => (this.reset.close(), onReset(true)));
  }

  showWelcome(): void {
    if (!remembered()) this.open(this.welcome);
    else byId("view").focus();
  }

  showHelp(): void {
    this.open(this.help);
  }

  askReset(): void {
    this.open(this.reset);
  }

  closeAll(): void {
    for (const dialog of [this.welcome, this.help, this.reset]) if (dialog.open) dialog.close();
  }

  private open(dialog: HTMLDialogElement): void {
    this.onOpen();
    if (!dialog.open) dialog.showModal();
  }
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
