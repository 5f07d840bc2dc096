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
  const still = { ...port, kind: 'constant' };
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

function sameSeries(before, after) {
  return before.t.length === after.t.length && before.t.every((t, index) => Math.abs(t - after.t[index]) < 1e-9)
    && JSON.stringify(before.v) === JSON.stringify(after.v);
}

function compareCard(port, before, after) {
  const parts = port.kind === 'event' ? [lanesOf(port)] : isNumeric(port.type) ? [sidesOf(port), plotOf(port)] : [sidesOf(port)];
  const isSame = sameSeries(before, after);
  const verdict = h('span', { class: isSame ? 'verdict' : 'verdict is-other' }, isSame ? 'the same' : 'other');
  const element = h('article', { class: `card compare-card${isSame ? ' is-same' : ''}${port.kind === 'continuous' ? ' is-wide' : ''}` },
    h('header', { class: 'card-head' }, h('h2', {}, port.name), verdict), parts.map((part) => part.element));
  return { element, isSame, show: (moment) => parts.forEach((part) => part.show({ before, after, ...moment })) };
}

/** The place where a rewritten past is shown. */
export function makeCompare() {
  const summary = h('p', { class: 'compare-summary', role: 'status' });
  const grid = h('div', { class: 'cards' });
  const element = h('section', { class: 'compare', 'aria-label': 'old and new', hidden: true }, summary, grid);
  let cards = [];
  return {
    element,
    take(message, outputs) {
      cards = outputs.filter((port) => message.old[port.name] || message.new[port.name]).map((port) => compareCard(port, seriesOfPairs(message.old[port.name]), seriesOfPairs(message.new[port.name])));
      cards.sort((a, b) => a.isSame - b.isSame);
      const others = cards.filter((card) => !card.isSame).length;
      setText(summary, others ? `${others} of ${cards.length} outputs would have been other since ${message.at.toFixed(2)} s` : `everything would have been the same since ${message.at.toFixed(2)} s`);
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
