// All events and values over one axis of time, which can be dragged.
import { clamp, h, isNumeric, setText, shortText } from './base.js';
import { changeAll, indexAt, shownTime, store } from './store.js';
import { extentOf, paintMarbles, paintMoment, paintTimeAxis, paintWord, palette, roomAround, Surface, traceSeries } from './draw.js';

const rowHeight = 28;
const axisHeight = 20;

function paintSegments(context, box, series, end, type) {
  const colours = palette();
  const x = (t) => box.left + ((clamp(t, box.from, box.to) - box.from) / (box.to - box.from)) * box.width;
  for (let index = Math.max(0, indexAt(series, box.from)); index < series.t.length && series.t[index] <= Math.min(end, box.to); index += 1) {
    const value = series.v[index];
    let next = index + 1;
    while (next < series.t.length && series.v[next] === value) next += 1;
    const [left, right] = [x(series.t[index]), x(Math.min(end, series.t[next] ?? end))];
    index = next - 1;
    if (type === 'Bool') {
      context.fillStyle = value ? colours.accent : colours.line;
      context.fillRect(left, box.top + (value ? 8 : box.height / 2 - 1), Math.max(1, right - left - 1), value ? box.height - 16 : 2);
      continue;
    }
    context.fillStyle = colours.pale;
    context.beginPath();
    context.roundRect(left, box.top + 5, Math.max(2, right - left - 2), box.height - 10, 4);
    context.fill();
    if (right - left > 26) {
      context.save();
      context.beginPath();
      context.rect(left, box.top, right - left - 6, box.height);
      context.clip();
      paintWord(context, shortText(value, 40), left + 6, box.top + box.height / 2 + 0.5, colours.ink);
      context.restore();
    }
  }
}

function paintRow(context, box, port, now) {
  const colours = palette();
  const other = store.rewritten && store.rewritten.merged.get(port.name);
  if (port.kind === 'event' || port.isEvent) {
    const lane = other ?? store.lanes.get(port.name);
    if (lane) paintMarbles(context, box, lane, { until: now, colour: port.isInput ? colours.good : colours.accent });
    return;
  }
  const series = store.series.get(port.name);
  if (!series || !series.t.length) return;
  const shown = other ?? series;
  const last = Math.max(store.t, now);
  if (isNumeric(port.type)) {
    const extents = [series, shown].map((one) => extentOf(one, box.from, box.to));
    const [low, high] = roomAround([Math.min(...extents.map((one) => one[0])), Math.max(...extents.map((one) => one[1]))]);
    const inner = { ...box, top: box.top + 4, height: box.height - 8, low, high };
    const isStep = port.kind !== 'continuous';
    context.strokeStyle = port.isInput ? colours.good : colours.accent;
    context.lineWidth = 1.5;
    context.globalAlpha = store.past ? 0.35 : 1;
    traceSeries(context, inner, series, { isStep, until: last });
    context.stroke();
    context.globalAlpha = 1;
    if (store.past) {
      traceSeries(context, inner, shown, { isStep, until: now });
      context.stroke();
    }
  } else paintSegments(context, box, shown, last, port.type);
}

/** The lanes; `seek(t)` asks for a moment, `why(name)` for its causes. */
export function makeLanes({ seek, why }) {
  const names = h('div', { class: 'lane-names' });
  const surface = new Surface('lanes-canvas');
  const place = h('div', { class: 'lanes-place', tabindex: '0', role: 'slider', 'aria-label': 'moment, dragged along the lanes', 'aria-valuemin': '0' }, surface.canvas);
  const element = h('div', { class: 'lanes' }, names, place);
  let ports = [];
  let span = 20;
  let box = null;
  let grip = null;

  const windowAt = (t) => {
    // A run that has just begun fills the lanes.
    const least = Math.min(span, Math.max(store.t, 6));
    const to = store.past ? Math.min(Math.max(store.t, least), Math.max(t + span * 0.3, least)) : Math.max(t, least);
    return { from: Math.max(0, to - span), to };
  };
  const momentAt = (event) => box.from + ((event.offsetX - box.left) / box.width) * (box.to - box.from);

  place.addEventListener('pointerdown', (event) => {
    if (!box || event.button !== 0) return;
    place.setPointerCapture(event.pointerId);
    grip = { from: box.from, to: box.to };
    seek(clamp(momentAt(event), 0, store.t));
    event.preventDefault();
    place.focus({ preventScroll: true });
  });
  place.addEventListener('pointermove', (event) => {
    if (grip) seek(clamp(momentAt(event), 0, store.t));
  });
  for (const name of ['pointerup', 'pointercancel']) {
    place.addEventListener(name, () => {
      grip = null;
      changeAll();
    });
  }
  place.addEventListener('wheel', (event) => {
    if (!event.ctrlKey && !event.shiftKey) return;
    event.preventDefault();
    span = clamp(span * (event.deltaY > 0 || event.deltaX > 0 ? 1.25 : 0.8), 1, 600);
    changeAll();
  }, { passive: false });
  place.addEventListener('keydown', (event) => {
    if (event.key === '+' || event.key === '-') {
      span = clamp(span * (event.key === '-' ? 1.5 : 1 / 1.5), 1, 600);
      changeAll();
    }
  });

  return {
    element,
    renew(program) {
      const isShown = (one) => one.kind === 'event' || one.isEvent || one.type === 'Bool' || one.type === 'String' || isNumeric(one.type)
        || (one.type && one.type.cases && one.type.cases.every(([, fields]) => fields.length === 0));
      ports = [
        ...program.inputs.map((one) => ({ ...one, isInput: true, kind: one.isEvent ? 'event' : 'step' })),
        ...program.outputs,
        ...(program.definitions || []),
      ].filter((one) => one.kind !== 'constant' && isShown(one)).slice(0, 60);
      names.replaceChildren(...ports.map((port) => h('button', { type: 'button', class: `lane-name${port.isInput ? ' is-input' : ''}`, title: `why ${port.name} is what it is`, onclick: () => why(port.name) },
        h('span', { class: 'lane-title' }, port.name), h('span', { class: 'lane-rate' }))));
      place.style.height = `${ports.length * rowHeight + axisHeight}px`;
    },
    draw() {
      const now = shownTime();
      const context = surface.begin();
      if (!context) return;
      const frame = grip || windowAt(now);
      box = { left: 0, width: surface.width - 10, ...frame };
      const colours = palette();
      ports.forEach((port, index) => {
        const top = index * rowHeight;
        context.fillStyle = colours.line;
        context.fillRect(0, top + rowHeight - 1, surface.width, 1);
        context.save();
        context.beginPath();
        context.rect(0, top, surface.width, rowHeight);
        context.clip();
        paintRow(context, { ...box, top, height: rowHeight }, port, now);
        context.restore();
        const rate = store.rates.get(port.name);
        setText(names.children[index].lastChild, rate && (port.kind === 'event') ? `${rate < 10 ? rate.toFixed(1) : Math.round(rate)}/s` : '');
      });
      paintTimeAxis(context, box, surface.height - 5);
      if (store.past) paintMoment(context, { ...box, top: 4, height: ports.length * rowHeight - 4 }, now);
      place.setAttribute('aria-valuemax', store.t.toFixed(2));
      place.setAttribute('aria-valuenow', now.toFixed(2));
      place.setAttribute('aria-valuetext', `${now.toFixed(2)} seconds`);
    },
  };
}
