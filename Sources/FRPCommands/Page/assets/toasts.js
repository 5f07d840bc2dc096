// Messages for people: each stands for some seconds, and one that comes again is counted.
import { h, icons, setText } from './base.js';
import { iconButton } from './timebar.js';

export const toasts = h('div', { class: 'toasts', role: 'log', 'aria-live': 'polite', 'aria-label': 'messages' });
const shownToasts = new Map();

/** `action` is `[label, what to do]`, and then it stands longer. */
export function toast(text, kind, action) {
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
