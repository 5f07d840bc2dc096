// Time: pause, step, slow motion, and a slider that can be dragged into the past.
import { h, icon, icons, remember, secondsText, setText, toggleClass } from './base.js';
import { isEmbedded } from './link.js';
import { shownTime, store } from './store.js';

const speeds = [[0.1, '1/10'], [0.25, '1/4'], [0.5, '1/2'], [1, '1×'], [2, '2×'], [4, '4×']];

/** A button with a picture and words for who cannot see it. */
export function iconButton(path, label, action, className = '') {
  return h('button', { type: 'button', class: `icon-button ${className}`, 'aria-label': label, title: label, onclick: action }, icon(path));
}

/** The bar; `actions` has toggle, step, restart, speed(x), seek(t), now. */
export function makeTimebar(actions) {
  const play = iconButton(icons.pause, 'pause', actions.toggle, 'play');
  const step = iconButton(icons.step, 'one step', actions.step);
  const restart = iconButton(icons.restart, 'start again', actions.restart, 'restart');
  const speed = h('select', { class: 'speed', 'aria-label': 'speed', title: 'speed' }, speeds.map(([value, label]) => h('option', { value: String(value) }, label)));
  speed.addEventListener('change', () => actions.speed(Number(speed.value)));
  const slider = h('input', { type: 'range', class: 'time-slider', min: '0', max: '1', step: '0.01', 'aria-label': 'time: drag into the past' });
  const reading = h('output', { class: 'time-reading' });
  // Who has never been in the past is shown the way there.
  const hint = h('span', { class: 'time-hint', 'aria-hidden': 'true', hidden: true }, '← drag time back');
  const element = h('div', { class: 'timebar', role: 'group', 'aria-label': 'time' }, play, step, restart, speed, h('span', { class: 'time-place' }, slider, hint), reading);
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

  function showPlay() {
    const isStill = store.rewritten ? !store.rewritten.isPlaying : store.paused;
    const label = store.rewritten ? (isStill ? 'play both' : 'pause') : isStill ? 'go on' : 'pause';
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
      const t = compared ? compared.t : shownTime();
      const [low, high] = compared ? [compared.at, compared.until] : [0, Math.max(store.t, 0.01)];
      if (!isHeld || compared) top = high;
      else top = Math.max(top, t);
      slider.min = low;
      slider.max = top;
      if (!isHeld) slider.value = t;
      slider.style.setProperty('--part', Math.min(1, (t - low) / Math.max(top - low, 1e-9)));
      slider.setAttribute('aria-valuetext', secondsText(t));
      setText(reading, secondsText(t));
      if (document.activeElement !== speed) speed.value = String(store.speed);
      toggleClass(element, 'is-past', !!store.past);
      if (store.past && !isKnown) {
        isKnown = true;
        remember('past', 'known');
      }
      hint.hidden = isKnown || store.t < 2;
    },
  };
}
