// Why something is what it is: what the server knows of it, with names that can be clicked.
import { h, icons, numberText, secondsText, setText, typeText } from './base.js';
import { portOf, store } from './store.js';
import { isRecording } from './link.js';
import { iconButton } from './timebar.js';

/** `ask` says to the server what is to be told. */
export function makeWhy(ask) {
  const title = h('h2', { class: 'why-title' });
  const lines = h('div', { class: 'why-lines' });
  const element = h('section', { class: 'why', 'aria-label': 'why', hidden: true, tabindex: '-1' },
    h('header', { class: 'panel-head' }, title, iconButton(icons.close, 'close', close)), lines);
  let origin = null;

  function close() {
    element.hidden = true;
    if (origin && origin.isConnected) origin.focus();
  }

  /** Of a name, and the node of the graph that it is, where that is known. */
  function show(name, node) {
    if (!element.contains(document.activeElement)) origin = document.activeElement;
    const port = portOf(name);
    const details = [port && typeText(port.type), node && node.operation, node ? node.kind : port && port.kind, store.rates.get(name) ? `${numberText(store.rates.get(name), true)} a second` : ''].filter(Boolean);
    setText(title, name);
    lines.replaceChildren(h('p', { class: 'why-details' }, details.join(' · ')));
    element.hidden = false;
    const reads = store.program.graph ? store.program.graph.edges.filter((edge) => node && edge.to === node.id) : [];
    if (reads.length) {
      const names = new Map(store.program.graph.nodes.map((one) => [one.id, one.name]));
      lines.append(h('p', { class: 'why-details' }, 'reads ', linkNames(reads.map((edge) => names.get(edge.from)).join(', '))));
    }
    if (isRecording) return;
    ask(store.past ? { do: 'why', name, at: store.past.t } : { do: 'why', name });
  }

  /** A line in which names of the program can be clicked. */
  function linkNames(line) {
    const words = (line.length > 300 ? `${line.slice(0, 300)}…` : line).split(/([A-Za-z_]\w*)/);
    return words.map((word, index) => (portOf(word) && !(words[index + 1] || '').startsWith(':')
      ? h('button', { type: 'button', class: 'name-link', onclick: () => show(word) }, word) : word));
  }

  function answer(message) {
    setText(title, `${message.name} at ${secondsText(message.at)}`);
    const details = [...lines.querySelectorAll('.why-details')];
    lines.replaceChildren(...details, ...message.lines.map((line) => {
      const depth = line.match(/^\s*/)[0].length;
      const row = h('p', { class: 'why-line' }, linkNames(line.trim()));
      row.style.paddingInlineStart = `${depth * 0.55}em`;
      return row;
    }));
    element.focus({ preventScroll: true });
  }

  return { element, show, answer, close };
}
