// The keyboard: what the program is told of keys, and what keys do to the page.
import { store } from './store.js';

const isTyping = (target) => target.closest('input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]') !== null;
const isPressable = (target) => target.closest('button, a, summary, [role=button], [role=slider], [role=switch], input, .pad') !== null;

/** `send` tells the server; `escape`, `nudge` and `toggle` are what keys do to the page. */
export function listenForKeys({ send, escape, nudge, toggle }) {
  const keysDown = new Set();

  function tellKey(event, isDown) {
    const { program } = store;
    if (!program || !program.keys || program.isViewer || store.past || event.ctrlKey || event.metaKey || event.altKey) return false;
    if (isDown && (isTyping(event.target) || (isPressable(event.target) && /^(Enter| |Tab)$/.test(event.key)))) return false;
    if (event.key === 'Tab' || event.key === 'Escape') return false;
    if (isDown === keysDown.has(event.key)) return isDown;
    if (isDown) keysDown.add(event.key);
    else keysDown.delete(event.key);
    send({ do: 'key', key: event.key, down: isDown });
    return true;
  }

  document.addEventListener('keydown', (event) => {
    if (tellKey(event, true)) {
      event.preventDefault();
      return;
    }
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape') {
      escape();
      return;
    }
    if (isTyping(event.target)) return;
    const way = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (way) nudge(way * (event.shiftKey ? 1 : 0.1));
    else if (event.key === ' ' && !isPressable(event.target)) toggle();
    else return;
    event.preventDefault();
  });
  document.addEventListener('keyup', (event) => tellKey(event, false));
  window.addEventListener('blur', () => {
    for (const key of keysDown) send({ do: 'key', key, down: false });
    keysDown.clear();
  });
}
