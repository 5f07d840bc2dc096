// A past that was rewritten: what was beside what would have been, for each output.
import { h, isNumeric, setText } from './base.js';
import { seriesOfPairs, store, valueAt } from './store.js';
import { paintMarbles, paintMoment, paintPlot, paintTimeAxis, palette, Surface } from './draw.js';
import { makeView } from './views.js';

function lanesOf(port) {
  const surface = new Surface('compare-lanes', `occurrences of ${port.name}, old above new`);
  return {
    element: h('div', { class: 'compare-events' }, h('span', { class: 'compare-word' }, 'old'), h('span', { class: 'compare-word is-new' }, 'new'), surface.canvas),
    show({ before, after, from, to, t }) {
      const context = surface.begin();
      if (!context) return;
      const box = { left: 6, width: surface.width - 14, height: 26, from, to };
      paintMarbles(context, { ...box, top: 0 }, before, { colour: palette().muted, isPale: true });
      paintMarbles(context, { ...box, top: 26 }, after, { colour: palette().accent });
      paintTimeAxis(context, box, surface.height - 3);
      paintMoment(context, { ...box, top: 4, height: 46 }, t);
    },
  };
}

function plotOf(port) {
  const surface = new Surface('plot', `${port.name}, old pale and new strong`);
  return {
    element: surface.canvas,
    show({ before, after, from, to, t }) {
      const isStep = port.kind !== 'continuous';
      paintPlot(surface, [{ series: before, colour: palette().muted, isStep, isPale: true, isDashed: true, until: to }, { series: after, colour: palette().accent, isStep, until: to }], { from, to, now: t });
    },
  };
}

function sidesOf(port) {
  const still = { ...port, kind: 'constant', isCopy: true };
  const [old, next] = [makeView(still), makeView(still)];
  const side = (word, view, name) => h('div', { class: `compare-side ${name}` }, h('span', { class: `compare-word ${name}` }, word), view.element);
  return {
    element: h('div', { class: 'compare-sides' }, side('old', old, 'is-old'), side('new', next, 'is-new')),
    show({ before, after, t }) {
      old.show(valueAt(before, t));
      next.show(valueAt(after, t));
    },
  };
}

/** Whether nobody could tell two values from one another: equations that are begun anew differ in their last digits. */
function isSame(a, b) {
  if (typeof a === 'number' && typeof b === 'number') return Math.abs(a - b) <= 1e-6 * Math.max(1, Math.abs(a), Math.abs(b));
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return a === b;
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => isSame(a[name], b[name]));
}

const sameSeries = (before, after) => isSame(before.t, after.t) && isSame(before.v, after.v);

function compareCard(port, before, after) {
  const parts = port.kind === 'event' ? [lanesOf(port)] : isNumeric(port.type) ? [sidesOf(port), plotOf(port)] : [sidesOf(port)];
  const isEqual = sameSeries(before, after);
  const verdict = h('span', { class: isEqual ? 'verdict' : 'verdict is-other' }, isEqual ? 'the same' : 'different');
  const element = h('article', { class: `card compare-card${isEqual ? ' is-same' : ''}${port.kind === 'continuous' ? ' is-wide' : ''}` },
    h('header', { class: 'card-head' }, h('h2', {}, port.name), verdict), parts.map((part) => part.element));
  return { element, isSame: isEqual, show: (moment) => parts.forEach((part) => part.show({ before, after, ...moment })) };
}

/** The place where a rewritten past is shown. */
export function makeCompare() {
  const summary = h('p', { class: 'compare-summary', role: 'status' });
  const grid = h('div', { class: 'cards' });
  const element = h('section', { class: 'compare', 'aria-label': 'old and new', hidden: true }, summary, grid);
  let cards = [];
  let others = 0;
  return {
    element,
    verdict: () => (others ? `${others} of ${cards.length} different` : 'all the same'),
    take(message, outputs) {
      cards = outputs.filter((port) => message.old[port.name] || message.new[port.name]).map((port) => compareCard(port, seriesOfPairs(message.old[port.name]), seriesOfPairs(message.new[port.name])));
      cards.sort((a, b) => a.isSame - b.isSame);
      others = cards.filter((card) => !card.isSame).length;
      const since = message.at ? `since ${message.at.toFixed(2)} s` : 'from the beginning';
      setText(summary, others ? `${others} of ${cards.length} outputs would have been different ${since}` : `everything would have been the same ${since}`);
      grid.replaceChildren(...cards.map((card) => card.element));
      element.hidden = false;
    },
    close() {
      element.hidden = true;
      cards = [];
      grid.replaceChildren();
    },
    draw() {
      const { at, until, t } = store.rewritten;
      for (const card of cards) card.show({ from: at, to: Math.max(until, at + 0.1), t });
    },
  };
}
