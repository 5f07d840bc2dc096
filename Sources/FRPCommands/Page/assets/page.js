// The page: what came is given to its parts, what people do is said to the server.
import { download, h, icons, isPageView, keepFocus, numberText, place, remember, secondsText, setText, sourceText, toggleClass } from './base.js';
import { changeAll, indexAt, leavePast, onDraw, portOf, schedule, shownTime, shownValue, store, takeFrame, takeHistory, takeProgram, takeRewritten } from './store.js';
import { isEmbedded, isRecording, openLink } from './link.js';
import { renewPalette } from './draw.js';
import { makeView, namesIn, pageParts } from './views.js';
import { makeControl } from './controls.js';
import { makeLanes } from './lanes.js';
import { makeGraph } from './graph.js';
import { makeEditing } from './editing.js';
import { makeSaving } from './saving.js';
import { makeCompare } from './compare.js';
import { makeRewriting } from './rewriting.js';
import { iconButton, makeTimebar } from './timebar.js';
import { closeFaults, faultButton, faultList, toast, toasts } from './toasts.js';
import { listenForKeys } from './keys.js';
import { makeMoments } from './moments.js';
import { makeWhy } from './why.js';

const controls = new Map();
const views = new Map();
/** Which view shows a name that stands in no place of its own. */
let placed = new Map();
let link = null;

function backToNow() {
  const isDropped = !!store.rewritten;
  if (isDropped) link.send({ do: 'drop' });
  moments.leave();
  rewriting.forget();
  closeCompare();
  leavePast();
  if (!isDropped && editing.isOther()) editing.reset();
  showMode();
}

function offerBack(words) {
  toast(words, 'said', ['Bring it back', () => link.send({ do: 'recover' })]);
}

function goOnFromHere() {
  const { t } = store.past;
  moments.leave();
  rewriting.forget();
  leavePast();
  link.send({ do: 'back', to: t });
  offerBack(`What came after ${secondsText(t)} is set aside.`);
  showMode();
}

// Parts.

const send = (message) => link.send(message);
const moments = makeMoments({ send, entered: showMode, backToNow });
const why = makeWhy(send);
const timebar = makeTimebar({
  toggle: moments.toggle,
  step: () => (store.past && !isRecording ? moments.nudge(0.1) : link.send({ do: 'step' })),
  restart: () => {
    if (store.past && !isRecording) backToNow();
    if (link.send({ do: 'restart' })) offerBack('The run has begun again.');
  },
  speed(speed) {
    // What is looked at has this speed: the run goes on as it did.
    if (store.past && !isRecording) store.pastSpeed = speed;
    else link.send({ do: 'speed', speed });
  },
  seek: moments.lookAt,
  nudge: moments.nudge,
});
const editing = makeEditing({ send, rewrite: rewriteText, showUndo });
const { editor } = editing;
const unsaved = h('span', { class: 'unsaved', role: 'status' });
const saving = makeSaving({ send, text: editor.text, mark: unsaved });
const lanes = makeLanes({ seek: moments.lookAt, why: why.show });
const graph = makeGraph({
  choose(node) {
    if (node.from >= 0) editor.reveal(node.from, node.to);
    why.show(node.name, node);
  },
});
const compare = makeCompare();
const rewriting = makeRewriting((at, text, sends) => {
  editor.say('running again what was recorded…');
  return link.send({ do: 'rewrite', at, text, sends });
});

const fileName = h('h1', { class: 'file-name' });
const state = h('span', { class: 'link-state', role: 'status' });
const pace = h('span', { class: 'pace', title: 'frames a second', 'aria-hidden': 'true' });
const share = h('button', { type: 'button', class: 'share', onclick: () => link.send({ do: 'share' }), title: 'one file with the program and what was recorded' }, 'Share');
const controlsList = h('div', { class: 'controls-list' });
const controlsNote = h('p', { class: 'controls-note', hidden: true });
const controlsPanel = h('aside', { class: 'panel controls', 'aria-label': 'controls' }, controlsNote, controlsList);
const pagePlace = h('div', { class: 'page-place' });
const cards = h('div', { class: 'cards' });
const outputs = h('section', { class: 'outputs', 'aria-label': 'outputs' }, pagePlace, cards);
const stage = h('main', { class: 'stage' }, outputs, compare.element);
const undo = iconButton(icons.undo, 'undo the last change of the program', undoText);
const redo = iconButton(icons.redo, 'redo the change', () => link.send({ do: 'redo' }));
const editorHint = h('span', { class: 'panel-hint' });
const editorPanel = h('section', { class: 'panel text-panel', 'aria-label': 'program' }, h('header', { class: 'panel-head' }, h('h2', {}, 'Program'), editorHint, h('span', { class: 'panel-tools' }, undo, redo, saving.button)), editor.element);
const lanesPanel = h('section', { class: 'panel lanes-panel', 'aria-label': 'lanes' }, h('header', { class: 'panel-head' }, h('h2', {}, 'Lanes'), h('span', { class: 'panel-hint' }, 'drag to go back in time')), lanes.element);
const graphPanel = h('section', { class: 'panel graph-panel', 'aria-label': 'graph of the program' }, h('header', { class: 'panel-head' }, h('h2', {}, 'Graph'), h('span', { class: 'panel-hint' }, 'click a node to see why'), h('span', { class: 'panel-tools' }, graph.fit)), graph.element);

// The past is said by the whole page, not by a word in a corner.

const bannerText = h('p', { class: 'banner-text' });
const bannerHint = h('p', { class: 'banner-hint' });
const bannerButtons = h('div', { class: 'banner-buttons' });
const banner = h('div', { class: 'banner', role: 'region', 'aria-label': 'the past', hidden: true }, bannerText, bannerHint, bannerButtons);
const pushButton = (label, action, isMain) => h('button', { type: 'button', class: isMain ? 'banner-button is-main' : 'banner-button', onclick: action }, label);
const pastButtons = [pushButton('Back to now', backToNow, true), pushButton('Go on from here', goOnFromHere)];
const pastButtonsForViewers = [pastButtons[0]];
const compareButtons = [pushButton('Keep the new past', () => link.send({ do: 'keep' }), true), pushButton('Drop it', dropRewritten)];

function dropRewritten() {
  link.send({ do: 'drop' });
  rewriting.forget();
  closeCompare();
  store.rewritten = null;
  editing.reset();
  changeAll();
  showMode();
}

function closeCompare() {
  compare.close();
}

let shownMode = 'now';

function showMode() {
  const mode = store.rewritten ? 'compare' : store.past ? (isRecording ? 'recording' : 'past') : 'now';
  if (mode === shownMode) return;
  const isFocusLost = banner.contains(document.activeElement);
  shownMode = mode;
  document.body.dataset.mode = mode;
  banner.hidden = mode === 'now' || mode === 'recording';
  const isViewer = store.program && store.program.isViewer;
  bannerButtons.replaceChildren(...(mode === 'compare' ? compareButtons : isViewer ? pastButtonsForViewers : pastButtons));
  showHint();
  if (isFocusLost && !banner.hidden) bannerButtons.firstChild.focus();
  disableControls();
  editor.mark(mode === 'past' || mode === 'compare');
  setText(editorHint, mode === 'past' && !isViewer ? 'change it to change the past' : '');
  renewPalette();
}

function showHint() {
  const isViewer = store.program && store.program.isViewer;
  setText(bannerHint, store.rewritten ? `Old is pale, new is strong. Drag the time, or play it, to compare moments.${laterWords()}`
    : isViewer ? 'Everything shows that moment.' : 'Everything shows that moment. Change a control or the program, and see what would have happened since.');
}

/** What people did to the same inputs after the moment that was changed: it is done in the new past, too. */
function laterWords() {
  const { at, until, values } = store.rewritten;
  const later = store.program.inputs.filter((input) => rewriting.given(input.name)).flatMap((input) => {
    const series = values.get(input.name);
    return series && series.t.length > 1 && series.t[1] > at && series.t[1] <= until ? [`${input.name} at ${secondsText(series.t[1])}`] : [];
  });
  return later.length ? ` What was changed later changes again: ${later.slice(0, 3).join(', ')}.` : '';
}

function disableControls() {
  const isViewer = store.program && store.program.isViewer;
  const isOff = !!isViewer || !store.isConnected;
  const why = !store.isConnected ? 'The connection is lost.' : isViewer ? 'You are only looking on.' : '';
  for (const control of controls.values()) control.disable(isOff, why);
  controlsNote.hidden = isRecording || !(isOff || store.past);
  setText(controlsNote, why || 'What you change here changes the past.');
}

// Editing.

/** What has not been taken goes first. */
function undoText() {
  if (editing.isOther()) editing.reset();
  else link.send({ do: 'undo' });
}

function showUndo() {
  undo.disabled = !store.program.undo && !editing.isOther();
  redo.disabled = !store.program.redo;
  saving.show();
}

function rewriteText(text) {
  rewriting.write(text);
  if (rewriting.isEmpty() && store.rewritten) dropRewritten();
}

function answerRewritten(message) {
  rewriting.answered();
  if (!store.past || rewriting.isEmpty()) return;
  if (rewriting.hasText() && !editing.show(message.problems)) return;
  const before = store.rewritten;
  takeRewritten(message, (name) => {
    const given = rewriting.given(name);
    return given ? given[1] : store.past.values.get(name);
  });
  // Who changes it again goes on looking at the same moment, unless what was done later hides the change.
  if (before && !isHiddenAt(before.t)) store.rewritten.t = Math.min(before.t, message.until);
  if (!before || before.isPlaying) moments.playBoth(store.rewritten);
  showHint();
  compare.take(message, store.program.outputs);
  editor.say('a new past: keep it, or drop it', 'right');
  changeAll();
  showMode();
}

/** Whether an input that was given a value has another at a moment. */
function isHiddenAt(t) {
  return store.program.inputs.some((input) => {
    const series = rewriting.given(input.name) && store.rewritten.values.get(input.name);
    return series && indexAt(series, t) > 0;
  });
}

// The program's ports.

const keyOfCard = (port) => JSON.stringify([port.name, port.type, port.kind, port.doc]);

function cardOf(port) {
  const view = makeView(port);
  const isMain = view.isPage;
  const title = h('h2', {}, h('button', { type: 'button', class: 'card-name', title: `why ${port.name} is what it is`, onclick: () => why.show(port.name) }, port.name));
  const head = h('header', { class: 'card-head' }, title, h('span', { class: 'card-doc' }, (port.doc || '').split('\n')[0]));
  const element = h('article', { class: `card${view.isWide ? ' is-wide' : ''}${isMain ? ' is-page' : ''}`, dataset: { name: port.name }, 'aria-label': port.name }, isMain && port.name === 'page' ? null : head, view.element);
  if (!isMain) {
    view.element.classList.add('is-asked');
    view.element.addEventListener('click', (event) => {
      // Not where a click has a meaning of its own, or the end of a selection.
      if (!event.target.closest('summary, a, button, input, select, textarea, .drawing') && document.getSelection().isCollapsed) why.show(port.name);
    });
  }
  return { port, view, element, key: keyOfCard(port) };
}

/** A value from a control: for the run, or for the moment of the past that is shown. */
function give(name, value) {
  if (store.past) rewriting.give(name, value, portOf(name).isEvent);
  else link.send({ do: 'send', name, value });
}

function givenValue(name) {
  const own = store.past && !store.rewritten && rewriting.given(name);
  return own ? own[1] : shownValue(name);
}

function renewControls(program) {
  const kept = new Map();
  for (const input of program.inputs) {
    const old = controls.get(input.name);
    const control = old && old.key === JSON.stringify([input.name, input.type, input.isEvent]) ? old : makeControl(input, give);
    if (control === old) control.renew(input);
    kept.set(input.name, control);
  }
  controls.clear();
  for (const [name, control] of kept) controls.set(name, control);
}

function renewViews(program) {
  const kept = new Map();
  for (const port of program.outputs) {
    const old = views.get(port.name);
    kept.set(port.name, old && old.key === keyOfCard(port) ? old : cardOf(port));
  }
  views.clear();
  for (const [name, card] of kept) views.set(name, card);
}

/** What is shown: of a new past that tells nothing of it, what it was at the moment that was changed. */
const momentValue = (name) => shownValue(name) ?? (store.rewritten ? store.past.values.get(name) : undefined);

/** What the views of the page show now has its place there; what two of them show, in the first. */
function findPlaces() {
  const found = new Map();
  for (const [owner, { view }] of views) {
    const value = view.isPage ? momentValue(owner) : null;
    for (const name of namesIn(value)) if (name !== owner && !found.has(name) && (controls.has(name) || views.has(name))) found.set(name, owner);
  }
  const isSame = found.size === placed.size && [...found].every(([name, owner]) => placed.get(name) === owner);
  placed = found;
  return !isSame;
}

function arrange() {
  const { program } = store;
  const main = views.get('page') && views.get('page').view.isPage ? views.get('page') : null;
  // Old beside new stands in place of all that has no controls.
  const isFree = (port) => !placed.has(port.name) && !(main && port.name === 'page') && (!store.rewritten || isPageView(port.type));
  const free = program.outputs.filter(isFree).map((port) => views.get(port.name).element);
  const freeControls = program.inputs.filter((input) => !placed.has(input.name)).map((input) => controls.get(input.name).element);
  place(pagePlace, main ? [main.element] : []);
  place(cards, free);
  place(controlsList, freeControls);
  controlsPanel.hidden = freeControls.length === 0;
  toggleClass(document.body, 'has-controls', freeControls.length > 0);
}

pageParts.show = (name, owner) => {
  const one = controls.get(name) || views.get(name);
  if (!one) return `nothing is called ${name}`;
  if (placed.get(name) === owner) return one.element;
  return owner === null ? name : `${name} stands elsewhere on this page`;
};
pageParts.pointer = (pointer) => {
  if (!store.past) link.send({ do: 'pointer', ...pointer });
};

function answerProgram(message) {
  const before = store.program?.text;
  takeProgram(message);
  const name = message.name.split('/').at(-1);
  document.title = `${name} · frp`;
  setText(fileName, name);
  fileName.title = message.name;
  renewControls(message);
  renewViews(message);
  arrange();
  disableControls();
  editing.answerProgram(message, before);
  editor.setReadOnly(!!message.isViewer);
  if (message.isViewer) editor.say(isRecording ? 'a recording: drag the time' : 'you are only looking on');
  undo.hidden = redo.hidden = !!message.isViewer;
  saving.answerProgram(message);
  showUndo();
  share.hidden = isRecording;
  timebar.disable(message.isViewer, isRecording);
  pageParts.isAsked = !!message.pointer;
  const places = message.graph ? message.graph.nodes : [];
  editor.setHints(places, message.text);
  lanes.renew(message);
  graph.renew(message);
  moments.renew();
  document.body.classList.add('is-ready');
}

// Drawing.

let slowAt = 0;
let slowTimer = 0;
let pausedAt = -1;
const paces = [];

function hintOf(name) {
  const port = portOf(name);
  if (!port || port.kind === 'event' || port.isEvent || port.kind === 'constant' || isPageView(port.type)) return '';
  const value = shownValue(name);
  if (value === undefined || (value !== null && typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length > 6)) return '';
  return typeof value === 'number' ? numberText(value, port.type === 'Float') : sourceText(value, 32, port.type);
}

function drawSlowly(now, isAll) {
  if (now - slowAt < 100 && !isAll) {
    if (!slowTimer) {
      slowTimer = setTimeout(() => {
        slowTimer = 0;
        schedule();
      }, 110);
    }
    return;
  }
  slowAt = now;
  graph.draw();
  editor.drawHints(hintOf);
  const second = paces.filter((at) => at > now - 1000).length;
  setText(pace, store.paused || store.past ? '' : `${second} fps`);
}

let isCompared = false;

function drawViews(isAll, changed, isMoved) {
  const isEach = isAll || (store.rewritten && isMoved);
  const isLaidOut = isEach || [...views].some(([name, { view }]) => view.isPage && changed.has(name));
  const isOther = isLaidOut && findPlaces();
  for (const [name, { view }] of views) {
    if (isEach || changed.has(name) || (view.isMoving && isMoved) || (isOther && view.isPage)) view.show(momentValue(name));
  }
  if (isOther || isCompared !== !!store.rewritten) arrange();
  isCompared = !!store.rewritten;
}

function draw() {
  if (!store.program) return;
  const now = performance.now();
  paces.push(now);
  if (paces.length > 120) paces.splice(0, 60);
  const isAll = store.isAllChanged;
  const { changed } = store;
  store.isAllChanged = false;
  store.changed = new Set();
  const isMoved = shownTime() !== pausedAt;
  pausedAt = shownTime();
  if (store.rewritten) compare.draw();
  keepFocus(() => drawViews(isAll, changed, isMoved));
  for (const [name, control] of controls) {
    if (isAll || changed.has(name) || (store.rewritten && isMoved)) control.show(givenValue(name), !!store.past);
  }
  if (!lanesPanel.hidden) lanes.draw();
  timebar.draw();
  if (store.past) {
    setText(bannerText, store.rewritten ? `A new past since ${secondsText(store.rewritten.at)}: ${compare.verdict()}` : `${secondsText(store.past.t)} · the past`);
  }
  drawSlowly(now, isAll);
  tellDrawn();
}

let newestFrame = 0;
let isUntold = false;

/** The server sends no more frames than are drawn. */
function tellDrawn() {
  if (isUntold) link.send({ do: 'drawn', frame: newestFrame });
  isUntold = false;
}

// What the server says.

const answers = {
  refused: (message) => refuse(message.why),
  program: answerProgram,
  history: takeHistory,
  frame(message) {
    takeFrame(message);
    [newestFrame, isUntold] = [message.number, message.number !== undefined];
    // What nobody sees is not drawn.
    if (document.hidden) tellDrawn();
    for (const fault of message.faults || []) toast(fault, 'fault');
    for (const [name] of message.events || []) {
      const control = controls.get(name);
      if (control) control.occurred();
    }
  },
  undone(message) {
    const isMarked = controls.get(message.name)?.giveBack(message.sent, message.value, message.why);
    if (message.why && !isMarked) toast(message.why, 'said');
  },
  past: moments.answer,
  problems: editing.answerProblems,
  edited: editing.answerEdited,
  saved: saving.answerSaved,
  unsaved: saving.answerUnsaved,
  rewritten: answerRewritten,
  kept() {
    moments.leave();
    rewriting.forget();
    closeCompare();
    leavePast();
    showMode();
    editor.say('', 'right');
    toast('Kept: the run goes on from the new past.', 'said', store.program.isViewer ? undefined : ['Bring the old one back', () => link.send({ do: 'recover' })]);
  },
  dropped() {},
  why: why.answer,
  shared(message) {
    download(message.name, message.html, 'text/html');
    toast(`${message.name} is saved where your browser keeps downloads: one file, which opens without a server`, 'said');
  },
  said: (message) => toast(message.text, 'said'),
  playing(message) {
    store.paused = message.paused;
    store.speed = message.speed;
    schedule();
  },
};

let isRefused = false;

/** What stands on the page stays: somebody may want to keep it. */
function refuse(words) {
  isRefused = true;
  const title = h('h2', {}, 'This page is not let in');
  if (store.program) head.prepend(h('div', { class: 'notice is-above', role: 'alert' }, title, h('p', {}, words), h('p', {}, 'What stands here can still be read and copied.')));
  else document.body.replaceChildren(h('main', { class: 'notice' }, h('h1', {}, 'This page is not let in'), h('p', {}, words)));
}

function connectionChanged(isConnected) {
  store.isConnected = isConnected;
  moments.disconnected();
  rewriting.disconnected();
  if (!isConnected) editing.disconnected();
  isUntold = false;
  setText(state, isConnected || isRefused ? '' : 'reconnecting…');
  toggleClass(document.body, 'is-lost', !isConnected);
  disableControls();
  schedule();
}

// Putting it together.

function panelSwitch(name, label, panel) {
  const key = isEmbedded ? `lesson.${name}` : name;
  const button = h('button', { type: 'button', class: 'panel-switch', 'aria-pressed': 'true' }, label);
  const show = (isShown) => {
    panel.hidden = !isShown;
    button.setAttribute('aria-pressed', String(isShown));
    toggleClass(document.body, `no-${name}`, !isShown);
    schedule();
  };
  button.addEventListener('click', () => {
    show(panel.hidden);
    remember(key, panel.hidden ? 'hidden' : 'shown');
  });
  show(isEmbedded && name !== 'text' ? remember(key) === 'shown' : remember(key) !== 'hidden');
  return button;
}

const switches = h('div', { class: 'panel-switches', role: 'group', 'aria-label': 'panels' }, panelSwitch('text', 'Program', editorPanel), panelSwitch('lanes', 'Lanes', lanesPanel), panelSwitch('graph', 'Graph', graphPanel));
document.body.dataset.mode = 'now';
toggleClass(document.body, 'is-embedded', isEmbedded);
const head = h('div', { class: 'head' }, h('header', { class: 'top' }, h('div', { class: 'brand' }, h('span', { class: 'logo', 'aria-hidden': 'true' }, 'frp'), fileName, unsaved, state), timebar.element, h('div', { class: 'tools' }, faultButton, pace, switches, share)), banner);
document.body.append(
  head,
  h('div', { class: 'work' }, h('div', { class: 'front' }, controlsPanel, stage), lanesPanel, h('div', { class: 'side' }, editorPanel, graphPanel)),
  why.element,
  faultList,
  toasts,
);
listenForKeys({
  send,
  escape() {
    if (!faultList.hidden) closeFaults();
    else if (!why.element.hidden) why.close();
    else if (store.rewritten) dropRewritten();
    else if (store.past && !isRecording) backToNow();
  },
  nudge: moments.nudge,
  toggle: moments.toggle,
});
onDraw(draw);
link = openLink((message) => {
  if (Object.hasOwn(answers, message.is)) answers[message.is](message);
}, connectionChanged);
