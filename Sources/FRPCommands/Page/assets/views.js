// How outputs are shown, by their types. A view has an `element` and is told by `show(value)` what to show.
import { entriesOf, faultOf, fieldsOf, h, isNumber, isNumeric, isPageView, isPointType, numberText, order, place, putBefore, setShort, setText, shortText, shortTimes, toggleClass } from './base.js';
import { shownTime, store } from './store.js';
import { markdownNodes } from './markdown.js';
import { drawingWords, extentOf, fitDrawing, paintDrawing, paintMarbles, paintPlot, paintTimeAxis, paintWord, palette, roomAround, Surface, tickLabels } from './draw.js';

/** Seconds that plots and lanes of a view show. */
export const viewSpan = 10;

/** Something that a view of the page asks the page for. */
export const pageParts = {
  /** The control of an input or the view of an output, for `Page.show` in the view of an owner; words where it cannot stand there. */
  show: () => '',
  pointer: () => {},
  isAsked: false,
};

function windowOfTime() {
  const t = shownTime();
  const after = store.past ? Math.min(viewSpan * 0.25, Math.max(0, store.t - t)) : 0;
  const to = Math.max(t + after, viewSpan);
  return { from: to - viewSpan, to, now: store.past ? t : undefined };
}

const emptySeries = { t: [], v: [] };

function numberView(port) {
  const isFloat = port.type === 'Float';
  const isMoving = port.kind === 'continuous';
  const digits = h('span', { class: 'digits' });
  const surface = new Surface(isMoving ? 'plot' : 'spark');
  const isConstant = port.kind === 'constant';
  const element = h('div', { class: isMoving ? 'view-plot' : 'view-number' }, digits, !isConstant && surface.canvas);
  return {
    element,
    isWide: isMoving,
    isMoving: !isConstant,
    show(value) {
      setText(digits, value === undefined || value === null ? '–' : numberText(value, isFloat));
      if (isConstant) return;
      const series = store.rewritten?.merged.get(port.name) ?? store.series.get(port.name) ?? emptySeries;
      const span = windowOfTime();
      const colour = palette().accent;
      const lines = [{ series, colour, isStep: !isMoving, until: shownTime() }];
      if (store.past) lines.unshift({ series, colour, isStep: !isMoving, isPale: true, until: store.rewritten?.until ?? store.t });
      paintPlot(surface, lines, { ...span, isBare: !isMoving });
    },
  };
}

function lampView() {
  const word = h('span', { class: 'lamp-word' });
  const element = h('div', { class: 'view-lamp' }, h('span', { class: 'lamp', 'aria-hidden': 'true' }), word);
  return {
    element,
    show(value) {
      toggleClass(element, 'is-on', value === true);
      setText(word, value === true ? 'on' : value === false ? 'off' : '–');
    },
  };
}

function textView(port) {
  const element = h('div', { class: 'view-text' });
  return {
    element,
    show(value) {
      const text = typeof value === 'string' ? value : shortText(value, 400, port.type);
      toggleClass(element, 'is-long', text.length > 60);
      toggleClass(element, 'is-empty', text === '');
      setText(element, text === '' ? 'empty' : text);
    },
  };
}

function pillView(port) {
  const pill = h('span', { class: 'pill' });
  return { element: h('div', { class: 'view-pill' }, pill), show: (value) => setText(pill, shortText(value, 60, port.type)) };
}

const mostRows = 100;

function fillRows(body, count, makeRow) {
  while (body.children.length > count) body.lastChild.remove();
  while (body.children.length < count) body.append(makeRow());
}

function tableView(port) {
  const fields = fieldsOf(port.type.list);
  const body = h('tbody');
  const more = h('p', { class: 'more' });
  const cells = fields.map(([, type]) => (isNumeric(type) ? 'number' : ''));
  const head = h('tr', {}, fields.map(([name], index) => h('th', { scope: 'col', class: cells[index] }, name)));
  const table = h('table', {}, h('caption', { class: 'unseen' }, port.name), h('thead', {}, head), body);
  return {
    element: h('div', { class: 'view-table', tabindex: '0', role: 'region', 'aria-label': `table ${port.name}` }, table, more),
    isWide: fields.length > 2,
    show(value) {
      const rows = Array.isArray(value) ? value : [];
      fillRows(body, Math.min(rows.length, mostRows), () => h('tr', {}, cells.map((name) => h('td', { class: name }))));
      for (let row = 0; row < body.children.length; row += 1) {
        const line = body.children[row].children;
        fields.forEach(([name, type], column) => {
          const item = rows[row][name];
          if (isNumeric(type) && typeof item === 'number') setText(line[column], numberText(item, type === 'Float'));
          else setShort(line[column], item ?? '–', 60);
        });
      }
      setText(more, rows.length > mostRows ? `and ${rows.length - mostRows} more` : rows.length ? '' : 'no rows');
    },
  };
}

function barsView(port) {
  const body = h('div', { class: 'bars' });
  const more = h('p', { class: 'more' });
  const makeRow = () => h('div', { class: 'bar' }, h('span', { class: 'bar-name' }), h('span', { class: 'bar-track' }, h('span', { class: 'bar-fill' })), h('span', { class: 'bar-number' }));
  const isFloat = (port.type.map ? port.type.map[1] : port.type.list) === 'Float';
  return {
    element: h('div', { class: 'view-bars' }, body, more),
    show(value) {
      const entries = Array.isArray(value) ? (port.type.map ? value : value.map((item, index) => [index, item])) : entriesOf(value || {});
      const most = Math.max(1e-12, ...entries.map(([, item]) => Math.abs(Number(item))));
      const count = Math.min(entries.length, 40);
      fillRows(body, count, makeRow);
      for (let index = 0; index < count; index += 1) {
        const [name, track, number] = body.children[index].children;
        const [key, item] = entries[index];
        setShort(name, key, 30);
        setText(number, numberText(item, isFloat));
        track.firstChild.style.transform = `scaleX(${Math.abs(Number(item)) / most})`;
        toggleClass(track, 'is-negative', item < 0);
      }
      setText(more, entries.length > count ? `and ${entries.length - count} more` : entries.length ? '' : 'empty');
    },
  };
}

function listView(port) {
  const list = h('ol', { class: 'plain-list' });
  const more = h('p', { class: 'more' });
  return {
    element: h('div', { class: 'view-list' }, list, more),
    show(value) {
      const items = Array.isArray(value) ? value : [];
      fillRows(list, Math.min(items.length, mostRows), () => h('li'));
      for (let index = 0; index < list.children.length; index += 1) setShort(list.children[index], items[index], 120, port.type.list || port.type.set);
      setText(more, items.length > mostRows ? `and ${items.length - mostRows} more` : items.length ? '' : 'empty');
    },
  };
}

function pointsView(port) {
  const surface = new Surface('points', `points of ${port.name}`);
  return {
    element: h('div', { class: 'view-points' }, surface.canvas),
    isWide: true,
    show(value) {
      const points = (Array.isArray(value) ? value : value ? [value] : []).filter((point) => point && isNumber(point.x)).map((point) => ({ x: Number(point.x), y: Number(point.y) }));
      const context = surface.begin();
      if (!context || !points.length) return;
      const extent = (key) => roomAround(extentOf({ t: points.map((_, index) => index), v: points.map((point) => point[key]) }, 0, points.length));
      const [[left, right], [top, bottom]] = [extent('x'), extent('y')];
      context.fillStyle = palette().accent;
      context.globalAlpha = points.length > 300 ? 0.5 : 0.85;
      for (const point of points) {
        context.beginPath();
        context.arc(((point.x - left) / (right - left)) * surface.width, ((point.y - top) / (bottom - top)) * surface.height, points.length > 300 ? 2 : 4, 0, 7);
        context.fill();
      }
      context.globalAlpha = 1;
      paintWord(context, tickLabels([left, right].map((x) => +x.toPrecision(12)), (right - left) / 50).join(' … '), 4, surface.height - 8, palette().muted);
    },
  };
}

function eventView(port) {
  const last = h('span', { class: 'event-last' });
  const count = h('span', { class: 'event-count' });
  const surface = new Surface('lane');
  const element = h('div', { class: 'view-event' }, h('div', { class: 'event-line' }, last, count), surface.canvas);
  let seen = 0;
  return {
    element,
    isMoving: true,
    isWide: false,
    show() {
      const lane = store.rewritten?.merged.get(port.name) ?? store.lanes.get(port.name) ?? emptySeries;
      const t = shownTime();
      let index = lane.t.length - 1;
      while (index >= 0 && lane.t[index] > t + 1e-9) index -= 1;
      setText(last, index < 0 ? 'not yet' : port.type === 'Unit' ? `at ${lane.t[index].toFixed(2)}\u202fs` : shortText(lane.v[index], 90, port.type));
      toggleClass(last, 'is-none', index < 0);
      const total = store.past ? '' : store.counts.get(port.name);
      setText(count, total ? `${numberText(total)}×` : '');
      if (!store.past && total !== undefined && total !== seen) {
        if (seen) flash(element);
        seen = total;
      }
      const context = surface.begin();
      if (!context) return;
      const span = windowOfTime();
      const box = { left: 6, top: 0, width: surface.width - 14, height: 22, ...span };
      context.strokeStyle = palette().line;
      context.beginPath();
      context.moveTo(0, 11.5);
      context.lineTo(surface.width, 11.5);
      context.stroke();
      paintMarbles(context, box, lane, { until: t, colour: palette().accent });
      paintTimeAxis(context, box, surface.height - 2);
    },
  };
}

/** A short light on what has just happened. */
export function flash(element) {
  element.classList.remove('flash');
  void element.offsetWidth;
  element.classList.add('flash');
}

// Data of any form.

function treeNode(name) {
  const key = name === undefined ? null : h('span', { class: 'tree-key' }, name);
  const text = h('span', { class: 'tree-text' });
  const leaf = h('div', { class: 'tree-leaf' }, key && key.cloneNode(true), text);
  const brief = h('span', { class: 'tree-brief' });
  const children = new Map();
  const box = h('div', { class: 'tree-children' });
  const branch = h('details', { class: 'tree-branch' }, h('summary', {}, key, brief), box);
  const element = h('div', { class: 'tree-node' });
  let held;
  branch.addEventListener('toggle', () => showChildren());

  function showChildren() {
    if (!branch.open || !held) return;
    const entries = entriesOf(held).slice(0, 200);
    const names = new Set(entries.map(([one]) => one));
    for (const one of children.keys()) if (!names.has(one)) children.delete(one);
    for (const [one, value] of entries) {
      if (!children.has(one)) children.set(one, treeNode(one));
      children.get(one).show(value);
    }
    place(box, entries.map(([one]) => children.get(one).element));
  }

  return {
    element,
    open() { branch.open = true; },
    show(value) {
      const isBranch = value !== null && typeof value === 'object' && Object.keys(value).length > 0;
      const shown = isBranch ? branch : leaf;
      if (element.firstChild !== shown) element.replaceChildren(shown);
      held = isBranch ? value : null;
      if (isBranch) {
        setText(brief, shortText(value, 70));
        showChildren();
      } else {
        setText(text, value === null || value === undefined ? 'none' : typeof value === 'string' ? value : shortText(value, 200));
        text.dataset.kind = value === null ? 'null' : isNumber(value) ? 'number' : typeof value;
      }
    },
  };
}

function treeView() {
  const root = treeNode();
  root.open();
  const element = h('div', { class: 'view-tree' }, root.element);
  return { element, isWide: false, show: (value) => root.show(value) };
}

function recordView(port) {
  const parts = fieldsOf(port.type).map(([name, type]) => {
    const part = makeView({ name: `${port.name}.${name}`, type, kind: 'constant' });
    return { name, part, row: h('div', { class: 'record-field' }, h('span', { class: 'record-name' }, name), part.element) };
  });
  return {
    element: h('div', { class: 'view-record' }, parts.map((one) => one.row)),
    isWide: parts.some((one) => one.part.isWide),
    show(value) {
      for (const { name, part } of parts) part.show(value ? value[name] : undefined);
    },
  };
}

// Views that a program arranges itself.

function drawingPart(port) {
  const surface = new Surface('drawing', `drawing ${port.name}`);
  const element = h('div', { class: 'part-drawing' }, surface.canvas);
  let drawing = null;
  let told = 0;
  let waiting = null;

  function report(event, isDown) {
    if (!pageParts.isAsked || !drawing) return;
    const box = surface.canvas.getBoundingClientRect();
    const fit = fitDrawing(surface, drawing);
    const isFirst = !waiting;
    waiting = { x: (event.clientX - box.left - fit.left) / fit.scale, y: (event.clientY - box.top - fit.top) / fit.scale, down: isDown };
    if (isFirst) {
      requestAnimationFrame(() => {
        pageParts.pointer(waiting);
        waiting = null;
      });
    }
  }
  for (const name of ['pointerdown', 'pointermove', 'pointerup']) {
    surface.canvas.addEventListener(name, (event) => {
      if (name === 'pointerdown' && pageParts.isAsked) surface.canvas.setPointerCapture(event.pointerId);
      if (name !== 'pointermove' && waiting) {
        pageParts.pointer(waiting);
        waiting.down = event.buttons !== 0;
      }
      report(event, event.buttons !== 0);
    });
  }
  return {
    element,
    show(value) {
      drawing = value;
      const ratio = `${value.width} / ${value.height}`;
      if (surface.ratio !== ratio) surface.canvas.style.aspectRatio = surface.ratio = ratio;
      toggleClass(surface.canvas, 'is-touched', pageParts.isAsked);
      paintDrawing(surface, value);
      if (performance.now() - told > 1000) {
        told = performance.now();
        surface.canvas.setAttribute('aria-label', `drawing ${port.name}: ${drawingWords(value)}`.slice(0, 300));
      }
    },
  };
}

const kindOf = (view) => (view && typeof view === 'object' ? Object.keys(view)[0] : null);

/** The names that a view shows. */
export function namesIn(view, depth = 0) {
  const kind = kindOf(view);
  if (kind === 'Show') return [view.Show];
  if (depth > 40 || !['Row', 'Column', 'Enabled'].includes(kind)) return [];
  return kind === 'Enabled' ? namesIn(view.Enabled.view, depth + 1) : view[kind].flatMap((one) => namesIn(one, depth + 1));
}

/** The parts for views: of those that are there each goes to what shows the same, then to what shows a part of it, then by kind. */
function matchParts(parts, views, make) {
  const free = new Set(parts);
  const wanted = views.map((view) => {
    const [kind, names] = [kindOf(view), namesIn(view)];
    return { kind, names, key: JSON.stringify([kind, names, typeof view?.[kind] === 'string' ? view[kind] : null]), part: null };
  });
  const match = (keyOf, isSame) => {
    const byKey = Map.groupBy(free, keyOf);
    for (const one of wanted) {
      const same = one.part ? -1 : (byKey.get(keyOf(one)) || []).findIndex((part) => isSame(part, one));
      if (same >= 0) free.delete((one.part = byKey.get(keyOf(one)).splice(same, 1)[0]));
    }
  };
  match((one) => one.key, () => true);
  match((one) => one.kind, (part, one) => part.names.some((name) => one.names.includes(name)));
  match((one) => one.kind, (part, one) => !part.names.length && !one.names.length);
  for (const one of wanted) Object.assign(one.part ??= make(), { kind: one.kind, names: one.names, key: one.key });
  return { parts: wanted.map((one) => one.part), free };
}

function partsPart(className, port, depth) {
  const element = h('div', { class: className });
  let parts = [];
  return {
    element,
    show(views) {
      const matched = matchParts(parts, views, () => viewPart(port, depth + 1));
      parts = matched.parts;
      order(element, parts.map((part) => part.element));
      parts.forEach((part, index) => part.show(views[index]));
      // What they showed may stand elsewhere now.
      for (const part of matched.free) part.element.remove();
    },
  };
}

/** Makes a child the only one; it may come from elsewhere. */
function putOnly(element, child) {
  if (child.parentNode !== element) putBefore(element, child, element.firstChild);
  while (child.nextSibling) child.nextSibling.remove();
}

const partMakers = {
  Text: () => {
    const element = h('p', { class: 'part-text' });
    return { element, show: (value) => setText(element, value) };
  },
  Markdown: () => {
    const element = h('div', { class: 'part-markdown' });
    let shown = null;
    return {
      element,
      show(value) {
        if (value !== shown) element.replaceChildren(...markdownNodes(value));
        shown = value;
      },
    };
  },
  Drawing: drawingPart,
  Enabled(port, depth) {
    const inner = viewPart(port, depth + 1);
    const element = h('fieldset', { class: 'part-enabled' }, inner.element);
    // What had the focus when it was switched off, which takes it away.
    let held = null;
    return {
      element,
      show(value) {
        const isOff = value.on === false;
        const focused = document.activeElement;
        if (isOff && !element.disabled) held = element.contains(focused) ? focused : null;
        element.disabled = isOff;
        inner.show(value.view);
        if (isOff || !held) return;
        // Not from what has been gone to since.
        if (held.isConnected && (!focused || focused === document.body)) held.focus({ preventScroll: true });
        held = null;
      },
    };
  },
  Row: (port, depth) => partsPart('part-row', port, depth),
  Column: (port, depth) => partsPart('part-column', port, depth),
  Show: (port) => {
    const element = h('div', { class: 'part-show' });
    const none = h('p', { class: 'more' });
    return {
      element,
      show(name) {
        const isSecond = port.shown.has(name);
        port.shown.add(name);
        const other = pageParts.show(name, port.name);
        const isOther = !isSecond && other.contains && !other.contains(element);
        if (!isOther) setText(none, other.contains ? `${name} stands elsewhere on this page` : other);
        putOnly(element, isOther ? other : none);
      },
    };
  },
};

function viewPart(port, depth) {
  const element = h('div', { class: 'part' });
  let kind = null;
  let part = null;
  return {
    element,
    show(value) {
      const former = part;
      const next = kindOf(value);
      if (next !== kind) {
        kind = next;
        part = Object.hasOwn(partMakers, kind) && depth < 40 ? partMakers[kind](port, depth) : null;
        if (part) element.append(part.element);
        element.dataset.part = kind;
      }
      if (part) part.show(value[kind]);
      // What it showed may stand in the other now.
      if (former && former !== part) former.element.remove();
    },
  };
}

function pageView(port) {
  // Of two pasts beside each other neither has what stands in the page: they only name it.
  const owner = { name: port.isCopy ? null : port.name, shown: new Set() };
  const part = viewPart(owner, 0);
  part.element.classList.add('view-page');
  return {
    element: part.element,
    isWide: true,
    isPage: true,
    show(value) {
      owner.shown.clear();
      if (value) part.show(value);
    },
  };
}

function optionView(port) {
  const inner = makeView({ ...port, type: port.type.option });
  const none = h('span', { class: 'none' }, 'none');
  const element = h('div', { class: 'view-option' });
  return {
    element,
    isWide: inner.isWide,
    isMoving: inner.isMoving,
    show(value) {
      const isNone = value === null || value === undefined;
      const shown = isNone ? none : inner.element;
      if (element.firstChild !== shown) element.replaceChildren(shown);
      if (!isNone) inner.show(value);
    },
  };
}

function makerFor(port) {
  const { type, kind } = port;
  if (kind === 'event') return eventView;
  if (isNumeric(type)) return numberView;
  if (type === 'Bool') return lampView;
  if (type === 'String' || type === 'Date' || type === 'Unit') return textView;
  if (isPageView(type)) return pageView;
  if (type.option) return optionView;
  if (isPointType(type)) return recordView;
  if (type.list) {
    if (isPointType(type.list)) return pointsView;
    if (fieldsOf(type.list)) return tableView;
    if (isNumeric(type.list)) return barsView;
    if (type.list === 'String' || type.list === 'Bool' || type.list.variants) return listView;
    return treeView;
  }
  if (type.set) return typeof type.set === 'string' ? listView : treeView;
  if (type.map) return isNumeric(type.map[1]) ? barsView : treeView;
  if (fieldsOf(type) && fieldsOf(type).length <= 8) return recordView;
  if (type.cases && type.cases.every(([, fields]) => fields.length === 0)) return pillView;
  return treeView;
}

/** The view of an output or a definition; one that cannot be computed says why. */
export function makeView(port) {
  const view = makerFor(port)(port);
  const fault = h('p', { class: 'view-fault' });
  const element = h('div', { class: 'view' }, view.element);
  let isFault = false;
  return {
    element,
    isWide: view.isWide,
    isMoving: view.isMoving,
    isPage: view.isPage,
    show(value) {
      const why = faultOf(value);
      if (isFault !== !!why) element.replaceChildren(why ? fault : view.element);
      isFault = !!why;
      if (why) setText(fault, shortTimes(why));
      else view.show(value);
    },
  };
}
