// Messages for people: each stands for some seconds, and one that comes again is counted. Faults stay in a list.
import { h, icons, setText, shortTimes } from './base.js';
import { iconButton } from './timebar.js';

export const toasts = h('div', { class: 'toasts', role: 'log', 'aria-live': 'polite', 'aria-label': 'messages' });
const shownToasts = new Map();

/** `action` is `[label, what to do]`, and then it stands longer. */
export function toast(words, kind, action) {
  const text = shortTimes(words);
  if (kind === 'fault') keepFault(text);
  const old = shownToasts.get(text);
  if (old) {
    old.count += 1;
    setText(old.times, `${old.count}×`);
    return;
  }
  const times = h('span', { class: 'toast-times' });
  const close = () => {
    element.remove();
    shownToasts.delete(text);
  };
  const element = h('div', { class: `toast is-${kind}` }, h('p', {}, text), times,
    action && h('button', { type: 'button', class: 'toast-action', onclick: () => { close(); action[1](); } }, action[0]), iconButton(icons.close, 'close this message', close));
  shownToasts.set(text, { element, times, count: 1 });
  toasts.append(element);
  if (toasts.children.length > 4) shownToasts.forEach((one, key) => one.element === toasts.firstChild && (one.element.remove(), shownToasts.delete(key)));
  setTimeout(close, action ? 20000 : kind === 'fault' ? 12000 : 6000);
}

// Faults.

const mostFaults = 100;
const faults = [];
let faultCount = 0;
const faultRows = h('ol', { class: 'fault-rows' });
/** The faults since the page was opened, the newest first. */
export const faultList = h('section', { class: 'why faults', 'aria-label': 'faults', hidden: true, tabindex: '-1' },
  h('header', { class: 'panel-head' }, h('h2', {}, 'Faults'), h('span', { class: 'panel-tools' }, iconButton(icons.forget, 'forget these faults', forgetFaults), iconButton(icons.close, 'close', closeFaults))), faultRows);
export const faultButton = h('button', { type: 'button', class: 'fault-button', hidden: true, 'aria-expanded': 'false', onclick: () => (faultList.hidden ? openFaults() : closeFaults()) });

function keepFault(text) {
  faultCount += 1;
  faults.unshift(text);
  faults.length = Math.min(faults.length, mostFaults);
  showFaults();
}

function showFaults() {
  faultButton.hidden = !faultCount;
  setText(faultButton, faultCount === 1 ? '1 fault' : `${faultCount} faults`);
  if (faultList.hidden) return;
  const more = faultCount > faults.length ? [h('li', { class: 'more' }, `and ${faultCount - faults.length} before`)] : [];
  faultRows.replaceChildren(...faults.map((text) => h('li', {}, text)), ...more);
}

function openFaults() {
  faultList.hidden = false;
  faultButton.setAttribute('aria-expanded', 'true');
  showFaults();
  faultList.focus({ preventScroll: true });
}

export function closeFaults() {
  faultList.hidden = true;
  faultButton.setAttribute('aria-expanded', 'false');
  if (faultList.contains(document.activeElement) || document.activeElement === document.body) faultButton.focus();
}

function forgetFaults() {
  faults.length = faultCount = 0;
  showFaults();
  closeFaults();
}
