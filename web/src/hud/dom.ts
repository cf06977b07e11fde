/** The element with this id; the page is built so that it exists. */
export function byId<T extends Element = HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (!element) throw new Error(`index.html has no element #${id}`);
  return element as unknown as T;
}

// The signs are written ten times a second. A value that has not changed must not touch the page,
// or the browser would lay out and paint for nothing.

export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

export function setHidden(element: HTMLElement, hidden: boolean): void {
  if (element.hidden !== hidden) element.hidden = hidden;
}

export function setClass(element: Element, name: string, on: boolean): void {
  if (element.classList.contains(name) !== on) element.classList.toggle(name, on);
}

export function setAttribute(element: Element, name: string, value: string): void {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

export function icon(name: string): string {
  return `<svg class="icon" aria-hidden="true"><use href="#i-${name}" /></svg>`;
}
