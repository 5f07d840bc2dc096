// Changing the past: what is other there is the text, and what was given to controls at the moment that is looked at. As with
// moments one question is asked at a time.
import { store } from './store.js';

const mostSends = 1000;

/** What is other in the past; `ask(at, text, sends)` says whether it was sent. */
export function makeRewriting(ask) {
  let text = null;
  let sends = [];
  let isAsked = false;
  let isNext = false;

  function rewrite() {
    isNext = isAsked;
    if (!isAsked) isAsked = ask(store.rewritten ? store.rewritten.at : store.past.t, text ?? store.program.text, sends);
  }

  return {
    isEmpty: () => text === null && !sends.length,
    hasText: () => text !== null,
    write(next) {
      text = next === store.program.text ? null : next;
      if (text !== null || sends.length) rewrite();
    },
    /** A behavior is what it was given last; of an event each value occurs. */
    give(name, value, isEvent) {
      const others = isEvent ? sends : sends.filter(([one]) => one !== name);
      sends = [...others, [name, value]].slice(-mostSends);
      rewrite();
    },
    /** `[name, value]` as it was given last. */
    given: (name) => sends.findLast(([one]) => one === name),
    forget() {
      text = null;
      sends = [];
      isNext = false;
    },
    /** An answer has come: what changed meanwhile is asked next. */
    answered() {
      isAsked = false;
      if (isNext && store.past) rewrite();
    },
    /** Nothing that was asked will be answered. */
    disconnected() { isAsked = isNext = false; },
  };
}
