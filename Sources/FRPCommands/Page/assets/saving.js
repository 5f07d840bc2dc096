// The text and its file: whether what is written here stands there, and how it comes there.
import { download, icons, setText } from './base.js';
import { isEmbedded, isRecording } from './link.js';
import { store } from './store.js';
import { iconButton } from './timebar.js';
import { toast } from './toasts.js';

/** `text()` is what is written here; `mark` shows that it is not saved. */
export function makeSaving({ send, text, mark }) {
  const button = iconButton(icons.save, 'save', save);
  /** What stands in the file, as far as this page knows; null where it does not. */
  let saved = null;
  let sent = null;

  const name = () => store.program.name.split('/').at(-1);
  /** Null where the server writes no file: then it is a download. */
  const hasFile = () => typeof store.program.isSaved === 'boolean';

  function show() {
    button.hidden = isEmbedded || isRecording || !!store.program.isViewer;
    const isUnsaved = !button.hidden && hasFile() && text() !== saved;
    button.disabled = hasFile() && !isUnsaved;
    button.title = hasFile() ? `save in ${name()} (Ctrl+S)` : `download as ${name()} (Ctrl+S)`;
    button.setAttribute('aria-label', button.title);
    setText(mark, isUnsaved ? '• not saved' : '');
  }

  function save(isForced) {
    if (button.hidden) return;
    sent = text();
    if (!hasFile()) {
      download(name(), sent, 'text/plain');
      toast(`${name()} is saved where your browser keeps downloads`, 'said');
    } else if (!send({ do: 'save', text: sent, isForced: isForced === true })) toast('not saved: the connection is lost', 'said');
  }

  document.addEventListener('keydown', (event) => {
    if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || button.hidden || !store.program) return;
    event.preventDefault();
    save();
  }, { capture: true });

  return {
    button,
    show,
    answerProgram(message) {
      if (message.isSaved) saved = message.text;
      show();
    },
    answerSaved(message) {
      saved = message.isYours ? sent : message.isProgram ? store.program.text : null;
      show();
    },
    answerUnsaved(message) { toast(message.why, 'said', ['Write over it', () => save(true)]); },
  };
}
