// The program's text: a textarea over the same text in colours, with problems at their places and values at the ends of lines.
import { h, setText, shortTimes, toggleClass } from './base.js';

const tokenPattern = /(\/\/.*)|("(?:[^"\\]|\\.)*"?)|(\b\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?(?:ms|min|s|h)?\b)|(\b(?:if|then|else|match|true|false|as|null|input|output|type|alias|import|test|given|expect)\b)|(\b[A-Z]\w*)|([a-z_]\w*(?=\s*\())|(\|>|->|=>|[=<>!+\-*/%&|?]+)/g;
const tokenClasses = ['comment', 'string', 'number', 'word', 'type', 'call', 'sign'];

/** Pieces of a line with their classes: `[text, class]`. */
function piecesOf(line) {
  const pieces = [];
  let end = 0;
  for (const match of line.matchAll(tokenPattern)) {
    if (match.index > end) pieces.push([line.slice(end, match.index), '']);
    pieces.push([match[0], `t-${tokenClasses[match.slice(1).findIndex((group) => group !== undefined)]}`]);
    end = match.index + match[0].length;
  }
  if (end < line.length) pieces.push([line.slice(end), '']);
  return pieces;
}

/** A text in colours, a line an element, where nobody writes. */
export const codeLines = (text) => text.replace(/\n$/, '').split('\n').map((line) => h('div', { class: 'code-line' }, piecesOf(line).map(([piece, name]) => (name ? h('span', { class: name }, piece) : piece)), '\u200b'));

/** The same pieces, cut where marks begin and end: `[text, classes]`. */
function markedPieces(line, marks) {
  const pieces = piecesOf(line);
  if (!marks.length) return pieces;
  const cuts = [...new Set(marks.flatMap((mark) => [mark.from, mark.to]))].sort((a, b) => a - b);
  const result = [];
  let at = 0;
  for (const [text, name] of pieces) {
    let from = at;
    at += text.length;
    for (const cut of [...cuts.filter((one) => one > from && one < at), at]) {
      const here = marks.find((mark) => mark.from <= from && mark.to >= cut);
      result.push([line.slice(from, cut), here ? `${name} mark-${here.severity}` : name]);
      from = cut;
    }
  }
  return result;
}

/** Moves places along with a change of the text; those that it touches end there. */
function movePlaces(places, before, after) {
  let same = 0;
  const most = Math.min(before.length, after.length);
  while (same < most && before[same] === after[same]) same += 1;
  let tail = 0;
  while (tail < most - same && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1;
  const shift = after.length - before.length;
  const move = (place) => (place <= same ? place : place >= before.length - tail ? place + shift : same);
  return places.map((one) => ({ ...one, from: move(one.from), to: move(one.to) }));
}

/** The editor; `changed(text)` at each change, `apply()` where somebody cannot wait. */
export function makeEditor({ changed, apply }) {
  const code = h('pre', { class: 'code', 'aria-hidden': 'true' });
  const area = h('textarea', { class: 'code-input', spellcheck: 'false', autocomplete: 'off', autocapitalize: 'off', wrap: 'off', 'aria-label': 'text of the program' });
  const scroller = h('div', { class: 'code-scroller' }, h('div', { class: 'code-sheet' }, code, area));
  const status = h('p', { class: 'editor-status', role: 'status' });
  const list = h('ol', { class: 'problems' });
  const question = h('div', { class: 'editor-question', role: 'alert', hidden: true });
  const element = h('div', { class: 'editor' }, scroller, h('div', { class: 'editor-foot' }, question, status, list));
  let shown = '';
  let problems = [];
  let hints = [];
  const lines = [];

  function lineAt(place) {
    let number = 0;
    let start = 0;
    for (;;) {
      const end = shown.indexOf('\n', start);
      if (end < 0 || end >= place) return { number, start };
      start = end + 1;
      number += 1;
    }
  }

  function paint() {
    const texts = shown.split('\n');
    while (lines.length > texts.length) {
      lines.pop();
      code.lastChild.remove();
    }
    let start = 0;
    texts.forEach((text, index) => {
      const end = start + text.length;
      const marks = problems.filter((one) => one.from <= end && one.to >= start && one.from >= 0)
        .map((one) => ({ from: Math.max(one.from, start) - start, to: Math.max(Math.min(Math.max(one.to, one.from + 1), end), start) - start, severity: one.severity }));
      const key = marks.length ? `${text}\u0000${JSON.stringify(marks)}` : text;
      start = end + 1;
      let line = lines[index];
      if (!line) {
        line = { element: h('div', { class: 'code-line' }), hint: h('span', { class: 'code-hint' }), key: null };
        lines.push(line);
        code.append(line.element);
      }
      if (line.key === key) return;
      line.key = key;
      const isAtEnd = marks.some((mark) => mark.from >= text.length);
      line.element.replaceChildren(...markedPieces(text, marks).map(([piece, name]) => (name ? h('span', { class: name }, piece) : piece)),
        isAtEnd ? h('span', { class: 'mark-error' }, ' ') : '\u200b', line.hint);
    });
  }

  function take(text) {
    problems = movePlaces(problems, shown, text);
    hints = movePlaces(hints, shown, text);
    shown = text;
    placeHints();
    paint();
  }

  function placeHints() {
    for (const line of lines) setText(line.hint, '');
    for (const hint of hints) hint.line = lineAt(hint.to).number;
  }

  area.addEventListener('input', () => {
    take(area.value);
    changed(area.value);
  });
  area.addEventListener('keydown', (event) => {
    event.stopPropagation();
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      apply();
    } else if (event.key === 'Enter' && !event.isComposing && !area.readOnly) {
      const before = area.value.slice(0, area.selectionStart);
      const indent = before.slice(before.lastIndexOf('\n') + 1).match(/^ */)[0] + (/[{([]\s*$/.test(before) ? '  ' : '');
      if (indent) {
        event.preventDefault();
        document.execCommand('insertText', false, `\n${indent}`);
      }
    } else if (event.key === 'Escape') area.blur();
  });

  function write(text) {
    const [from, to, top] = [area.selectionStart, area.selectionEnd, scroller.scrollTop];
    area.value = text;
    area.setSelectionRange(Math.min(from, text.length), Math.min(to, text.length));
    take(text);
    scroller.scrollTop = top;
  }

  function reveal(from, to) {
    if (from < 0) return;
    const { number, start } = lineAt(from);
    const height = lines[0] ? lines[0].element.offsetHeight : 20;
    scroller.scrollTo({ top: Math.max(0, (number - 4) * height), left: Math.max(0, (from - start - 40) * 7), behavior: 'auto' });
    area.setSelectionRange(from, Math.max(from, to));
    const line = lines[number] && lines[number].element;
    if (line) {
      line.classList.remove('is-revealed');
      void line.offsetWidth;
      line.classList.add('is-revealed');
    }
  }

  function keepInSight(number) {
    const line = lines[number] && lines[number].element;
    if (!line) return;
    const low = line.offsetTop + line.offsetHeight - scroller.clientHeight;
    if (scroller.scrollTop < low || scroller.scrollTop > line.offsetTop) scroller.scrollTop = Math.max(low + 4, Math.min(scroller.scrollTop, line.offsetTop));
  }

  function fix(edits) {
    let text = shown;
    for (const edit of [...edits].sort((a, b) => b.from - a.from)) text = text.slice(0, edit.from) + edit.text + text.slice(edit.to);
    write(text);
    changed(text);
    area.focus();
  }

  function problemItem(problem) {
    const place = problem.from >= 0 ? lineAt(problem.from) : null;
    const jump = h('button', { type: 'button', class: 'problem-place', onclick: () => {
      area.focus({ preventScroll: true });
      reveal(problem.from, problem.to);
    } }, place ? `line ${place.number + 1}` : 'program');
    const groups = new Map();
    for (const edit of problem.edits || []) {
      const title = edit.title || 'repair';
      if (!groups.has(title)) groups.set(title, []);
      groups.get(title).push(edit);
    }
    return h('li', { class: `problem is-${problem.severity}` }, jump, h('span', { class: 'problem-text' }, shortTimes(problem.message),
      problem.label && problem.label !== problem.message ? h('span', { class: 'problem-label' }, ` · ${problem.label}`) : null),
    (problem.helps || []).map((help) => h('p', { class: 'problem-help' }, help)),
    area.readOnly ? null : [...groups].map(([title, edits]) => h('button', { type: 'button', class: 'problem-fix', onclick: () => fix(edits) }, title)));
  }

  return {
    element,
    text: () => area.value,
    isFocused: () => document.activeElement === area,
    focus: () => area.focus(),
    /** Another text of the program. */
    write,
    reveal,
    setReadOnly(isReadOnly) { area.readOnly = isReadOnly; },
    /** Problems of a text; where it is no longer that text their places move along. */
    showProblems(next, text) {
      problems = movePlaces(next || [], text, shown);
      paint();
      list.replaceChildren(...problems.slice(0, 30).map(problemItem));
      // The list takes room from the text: the line that is being written stays in sight.
      if (document.activeElement === area) keepInSight(lineAt(area.selectionStart).number);
    },
    /** A question with its answers, `[label, what to do]`; null where there is none any more. */
    ask(words, answers) {
      question.hidden = !words;
      if (words) question.replaceChildren(h('p', {}, words), ...answers.map(([label, act]) => h('button', { type: 'button', class: 'problem-fix', onclick: act }, label)));
    },
    say(text, kind) {
      setText(status, text);
      status.dataset.kind = kind || '';
    },
    /** Definitions whose values stand at the ends of their lines: `[{name, from, to}]` in the program's text. */
    setHints(next, text) {
      hints = movePlaces(next.filter((one) => one.from >= 0).map((one) => ({ ...one })), text, shown);
      placeHints();
    },
    drawHints(textOf) {
      const texts = new Map();
      for (const hint of hints) {
        const text = textOf(hint.name);
        // Each has a direction of its own: that of one does not turn the next.
        if (text) texts.set(hint.line, texts.has(hint.line) ? `${texts.get(hint.line)}  \u2068${text}\u2069` : text);
      }
      // What has no value at this moment shows none.
      lines.forEach((line, number) => setText(line.hint, texts.get(number) || ''));
    },
    mark: (isPast) => toggleClass(element, 'is-past', isPast),
  };
}
