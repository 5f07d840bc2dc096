// Time: pause, step, slow motion, and a slider that can be dragged into the past.
import { h, icon, icons, remember, secondsText, setText, toggleClass } from './base.js';
import { isEmbedded, isRecording } from './link.js';
import { shownTime, store } from './store.js';

const speeds = [[0.1, '1/10'], [0.25, '1/4'], [0.5, '1/2'], [1, '1×'], [2, '2×'], [4, '4×']];

/** A button with a picture and words for who cannot see it. */
export function iconButton(path, label, action, className = '') {
  return h('button', { type: 'button', class: `icon-button ${className}`, 'aria-label': label, title: label, onclick: action }, icon(path));
}

/** Seconds that somebody has typed: `3`, `3.5 s`, `1:02`; null for anything else. */
function momentOf(text) {
  const parts = text.trim().replace(',', '.').replace(/\s*s$/, '').split(':');
  const isTime = parts.length <= 3 && parts.every((part) => /^\d+(\.\d*)?$/.test(part));
  return isTime ? parts.reduce((sum, part) => sum * 60 + Number(part), 0) : null;
}

/** The bar; `actions` has toggle, step, restart, speed(x), seek(t), now. */
export function makeTimebar(actions) {
  const play = iconButton(icons.pause, 'pause', actions.toggle, 'play');
  const step = iconButton(icons.step, 'one step', actions.step);
  const restart = iconButton(icons.restart, 'start again', actions.restart, 'restart');
  const speed = h('select', { class: 'speed', 'aria-label': 'speed', title: 'speed' }, speeds.map(([value, label]) => h('option', { value: String(value) }, label)));
  speed.addEventListener('change', () => actions.speed(Number(speed.value)));
  // A moment can be typed.
  const field = h('input', { class: 'time-field', type: 'text', inputmode: 'decimal', 'aria-label': 'moment in seconds, or minutes:seconds', hidden: true });
  const slider = h('input', { type: 'range', class: 'time-slider', min: '0', max: '1', step: '0.01', 'aria-label': 'time: drag into the past' });
  const reading = h('button', { type: 'button', class: 'time-reading', title: 'go to a moment', onclick: openField });
  // Who has never been in the past is shown the way there.
  const hint = h('span', { class: 'time-hint', 'aria-hidden': 'true', hidden: true }, '← drag time back');
  const element = h('div', { class: 'timebar', role: 'group', 'aria-label': 'time' }, play, step, restart, speed, h('span', { class: 'time-place' }, slider, hint), reading, field);
  let isKnown = isEmbedded || remember('past') === 'known';
  let isHeld = false;
  let top = 1;

  slider.addEventListener('pointerdown', () => { isHeld = true; });
  for (const name of ['pointerup', 'pointercancel', 'blur']) slider.addEventListener(name, () => { isHeld = false; });
  slider.addEventListener('input', () => actions.seek(Number(slider.value)));
  slider.addEventListener('keydown', (event) => {
    const way = { ArrowLeft: -1, ArrowRight: 1, ArrowDown: -1, ArrowUp: 1 }[event.key];
    if (!way) return;
    event.preventDefault();
    event.stopPropagation();
    actions.nudge(way * (event.shiftKey ? 1 : 0.1));
  });

  function openField() {
    field.value = String(Math.round(shownTime() * 100) / 100);
    field.hidden = false;
    reading.hidden = true;
    field.focus();
    field.select();
  }

  function closeField(isTaken) {
    if (field.hidden) return;
    const moment = isTaken ? momentOf(field.value) : null;
    field.hidden = true;
    reading.hidden = false;
    if (moment !== null) actions.seek(Math.min(moment, top));
  }

  field.addEventListener('keydown', (event) => {
    event.stopPropagation();
    if (event.key === 'Enter' || event.key === 'Escape') closeField(event.key === 'Enter');
  });
  field.addEventListener('blur', () => closeField(false));

  function showPlay() {
    const isPast = store.past && !isRecording;
    const isStill = store.rewritten ? !store.rewritten.isPlaying : isPast ? !store.isPastPlaying : store.paused;
    const label = !isStill ? 'pause' : store.rewritten ? 'play both' : isPast ? 'play from here' : 'go on';
    if (play.shownLabel === label) return;
    play.shownLabel = label;
    play.setAttribute('aria-label', label);
    play.title = `${label} (space)`;
    play.firstChild.firstChild.setAttribute('d', isStill ? icons.play : icons.pause);
  }

  return {
    element,
    disable(isViewer, isRecording) {
      const isOff = isViewer && !isRecording;
      play.disabled = step.disabled = restart.disabled = speed.disabled = isOff;
    },
    draw() {
      showPlay();
      const compared = store.rewritten;
      const t = shownTime();
      const [low, high] = compared ? [compared.at, compared.until] : [0, Math.max(store.t, 0.01)];
      if (!isHeld || compared) top = high;
      else top = Math.max(top, t);
      slider.min = low;
      slider.max = top;
      if (!isHeld) slider.value = t;
      slider.style.setProperty('--part', Math.min(1, (t - low) / Math.max(top - low, 1e-9)));
      slider.setAttribute('aria-valuetext', secondsText(t));
      setText(reading, secondsText(t));
      if (document.activeElement !== speed) speed.value = String(store.past && !isRecording ? store.pastSpeed : store.speed);
      toggleClass(element, 'is-past', !!store.past);
      if (store.past && !isKnown) {
        isKnown = true;
        remember('past', 'known');
      }
      hint.hidden = isKnown || store.t < 2;
    },
  };
}
