// The keyboard: what the program is told of keys, and what keys do to the page.
import { store } from './store.js';

const isTyping = (target) => target.closest('input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]') !== null;
const isPressable = (target) => target.closest('button, a, summary, [role=button], [role=slider], [role=switch], input, .pad') !== null;

/** Whether what has the focus does something of its own with a key. */
function isUsed(target, key) {
  if (isTyping(target)) return true;
  return /^(Enter| |Tab)$/.test(key) ? isPressable(target) : key.startsWith('Arrow') && target.closest('[type=radio], .pad') !== null;
}

/** `send` tells the server; `escape`, `nudge` and `toggle` are what keys do to the page. */
export function listenForKeys({ send, escape, nudge, toggle }) {
  // What went down, by the place on the keyboard: with Shift the same key has another name when it comes up.
  const keysDown = new Map();
  const placeOf = (event) => event.code || event.key;

  /** Whether the program has this key; it is told once that it is down. */
  function press(event) {
    const { program } = store;
    if (!program || !program.keys || program.isViewer || store.past || event.isComposing) return false;
    if (event.key === 'Tab' || event.key === 'Escape' || isUsed(event.target, event.key)) return false;
    const place = placeOf(event);
    if (!keysDown.has(place)) {
      keysDown.set(place, event.key);
      send({ do: 'key', key: event.key, down: true });
    }
    return true;
  }

  function release(place) {
    if (keysDown.has(place)) send({ do: 'key', key: keysDown.get(place), down: false });
    keysDown.delete(place);
  }
  const releaseAll = () => [...keysDown.keys()].forEach(release);

  document.addEventListener('keydown', (event) => {
    // Those of the browser are its own.
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (press(event)) {
      // The page stays where it is; whatever else the browser does with a key it does.
      if (/^(Arrow\w+| )$/.test(event.key)) event.preventDefault();
      return;
    }
    if (event.key === 'Escape') {
      escape();
      return;
    }
    if (isUsed(event.target, event.key) || !store.isConnected) return;
    const way = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (way) nudge(way * (event.shiftKey ? 1 : 0.1));
    else if (event.key === ' ') toggle();
    else return;
    event.preventDefault();
  });
  document.addEventListener('keyup', (event) => {
    // While Meta is down some browsers do not say that another key comes up.
    if (event.key === 'Meta') releaseAll();
    else release(placeOf(event));
  });
  // Nobody says of a page that is left which keys come up.
  for (const name of ['blur', 'pagehide']) window.addEventListener(name, releaseAll);
  document.addEventListener('visibilitychange', () => document.hidden && releaseAll());
}
