// What is written into the program's text: it is checked while it is written, and becomes the program once it is right. Where
// another page or another editor has changed the text meanwhile, nobody's is lost: one is asked.
import { makeEditor } from './editor.js';
import { store } from './store.js';

const hasErrors = (problems) => (problems || []).some((one) => one.severity === 'error');

const wrongWords = () => (store.past ? 'a mistake: nothing has changed yet' : 'a mistake: the run goes on with the last right text');

/** `send` says whether it was sent; `rewrite(text)` changes the past; `showUndo` when there is another thing to undo. */
export function makeEditing({ send, rewrite, showUndo }) {
  const editor = makeEditor({ changed, apply });
  let timer = 0;
  /** What was asked about last, and what this page has made the program last. */
  let sent = '';
  let applied = null;
  /** Somebody else has changed the text while this one was written. */
  let isAsked = false;

  function changed() {
    clearTimeout(timer);
    showUndo();
    editor.say('…');
    timer = setTimeout(() => {
      const text = editor.text();
      if (send({ do: 'check', text })) sent = text;
      else editor.say('not sent: the connection is lost', 'wrong');
    }, 140);
  }

  function apply() {
    if (isAsked) return;
    clearTimeout(timer);
    sent = editor.text();
    if (store.past) rewrite(sent);
    else if (sent !== store.program.text) {
      applied = sent;
      send({ do: 'edit', text: sent });
    }
  }

  /** The text is the program's again. */
  function reset() {
    clearTimeout(timer);
    settle();
    sent = store.program.text;
    editor.write(store.program.text);
    editor.showProblems(store.program.problems, store.program.text);
    editor.say('');
    showUndo();
  }

  function takeTheirs() {
    reset();
    if (store.past) rewrite(store.program.text);
  }

  function settle() {
    isAsked = false;
    editor.ask(null);
  }

  function askWhose() {
    isAsked = true;
    clearTimeout(timer);
    editor.say('not taken', 'wrong');
    showUndo();
    editor.ask('The text has been changed elsewhere.', [['Take theirs', takeTheirs], ['Keep mine', () => {
      settle();
      changed();
    }]]);
  }

  /** The server has this program, where it had `before`. */
  function answerProgram(message, before) {
    const text = editor.text();
    if (before === undefined || message.isViewer || text === before || text === message.text) {
      settle();
      if (text !== message.text) editor.say('');
      editor.write(message.text);
      editor.showProblems(message.problems, message.text);
    } else if (isAsked || (message.text !== before && message.text !== applied)) askWhose();
    else changed();
  }

  function answerProblems(message) {
    const isNewest = editor.text() === sent;
    editor.showProblems(message.problems, sent);
    if (hasErrors(message.problems)) editor.say(wrongWords(), 'wrong');
    else if (isAsked) editor.say('not taken', 'wrong');
    else if (isNewest) {
      editor.say(sent === store.program.text ? '' : 'checks', 'right');
      clearTimeout(timer);
      timer = setTimeout(apply, 200);
    }
  }

  /** What is wrong with what was asked to run; whether nothing is. */
  function show(problems) {
    editor.showProblems(problems, sent);
    if (hasErrors(problems)) editor.say(wrongWords(), 'wrong');
    return !hasErrors(problems);
  }

  return {
    editor,
    reset,
    show,
    answerProgram,
    answerProblems,
    answerEdited(message) {
      if (show(message.problems)) editor.say(message.summary || 'taken', 'right');
    },
    isOther: () => editor.text() !== store.program.text,
    /** What was sent may not have come: it is not taken for said. */
    disconnected() { sent = applied = null; },
  };
}
