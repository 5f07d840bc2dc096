// What is known of the run: the newest values, what they were in the last minutes, and the moment that is shown.
import { faultOf, isNumber } from './base.js';

const longestSeries = 6000;
const longestLane = 1000;

export const store = {
  program: null,
  values: new Map(),
  series: new Map(),
  lanes: new Map(),
  counts: new Map(),
  rates: new Map(),
  t: 0,
  paused: false,
  speed: 1,
  isConnected: false,
  /** The moment that is looked at, or null: `{t, values}`. */
  past: null,
  /** What a rewritten past gave, or null: `{at, until, t, isPlaying, values, merged}`, the latter two series by name. */
  rewritten: null,
  /** How fast the past is played, and whether it is; the run has its own speed. */
  pastSpeed: 1,
  isPastPlaying: false,
  /** Names of behaviors that vary all the time. */
  moving: new Set(),
  changed: new Set(),
  isAllChanged: true,
};

let isScheduled = false;
let drawPage = () => {};

export function onDraw(draw) { drawPage = draw; }

/** The page is drawn before the browser's next frame. */
export function schedule() {
  if (isScheduled) return;
  isScheduled = true;
  requestAnimationFrame(() => {
    isScheduled = false;
    drawPage();
  });
}

export function changeAll() {
  store.isAllChanged = true;
  schedule();
}

const isScalar = (value) => value === null || isNumber(value) || typeof value === 'boolean'
  || (typeof value === 'string' && value.length <= 200);

/** Of the older half every second moment is forgotten: a long run is kept, the longer ago the coarser. */
function thinOut(series) {
  const half = longestSeries / 2;
  const isKept = (_, index) => index >= half || index % 2 === 0;
  series.t = series.t.filter(isKept);
  series.v = series.v.filter(isKept);
}

function seriesOf(map, name) {
  let series = map.get(name);
  if (!series) map.set(name, series = { t: [], v: [] });
  return series;
}

/** `before` is the moment until which a behavior has been what it was. */
function recordValue(name, t, value, before = -Infinity) {
  if (!isScalar(value)) return;
  const series = seriesOf(store.series, name);
  // No frame tells what has not changed: a jump comes after the last of these, not after the last that told it.
  const known = series.t.at(-1);
  // A whole frame tells again what has not changed: that is no change.
  if (known !== undefined && value === series.v.at(-1) && !store.moving.has(name)) return;
  if (before > known && store.moving.has(name)) {
    series.t.push(before);
    series.v.push(series.v.at(-1));
  }
  if (series.t.length && series.t.at(-1) === t) series.v[series.v.length - 1] = value;
  else {
    series.t.push(t);
    series.v.push(value);
  }
  if (series.t.length > longestSeries) thinOut(series);
}

function recordEvent(name, t, value) {
  const lane = seriesOf(store.lanes, name);
  lane.t.push(t);
  lane.v.push(value);
  if (lane.t.length > longestLane) {
    lane.t.splice(0, 200);
    lane.v.splice(0, 200);
  }
}

/** The index of the last entry at or before t; -1 where there is none. */
export function indexAt(series, t) {
  let low = 0;
  let high = series.t.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (series.t[middle] <= t) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

export function valueAt(series, t) {
  const index = series ? indexAt(series, t) : -1;
  return index < 0 ? undefined : series.v[index];
}

/** Pairs `[t, value]` as a series. */
export const seriesOfPairs = (pairs) => ({ t: (pairs || []).map((pair) => pair[0]), v: (pairs || []).map((pair) => pair[1]) });

function forgetAfter(t) {
  for (const map of [store.series, store.lanes]) {
    for (const series of map.values()) {
      const length = indexAt(series, t) + 1;
      series.t.length = series.v.length = length;
    }
  }
}

/** What a history tells again, and what was after it. */
function forgetStretch(history) {
  for (const [map, told] of [[store.series, history.values || {}], [store.lanes, history.events || {}]]) {
    for (const [name, series] of map) {
      const first = told[name] && told[name].length ? told[name][0][0] - 1e-9 : history.until ?? 0;
      const length = indexAt(series, first) + 1;
      series.t.length = series.v.length = length;
      if (!length) map.delete(name);
    }
  }
}

export function takeProgram(program) {
  const isOther = !store.program || store.program.name !== program.name;
  store.program = program;
  if (isOther) forgetAfter(-1);
  const names = new Set([...program.inputs, ...program.outputs, ...(program.definitions || [])].map((one) => one.name));
  store.moving = new Set([...program.outputs, ...(program.definitions || [])].filter((one) => one.kind === 'continuous').map((one) => one.name));
  for (const map of [store.values, store.series, store.lanes]) {
    for (const name of map.keys()) if (!names.has(name)) map.delete(name);
  }
  for (const input of program.inputs) if (input.value !== undefined) store.values.set(input.name, input.value);
  changeAll();
}

export function takeHistory(history) {
  forgetStretch(history);
  const start = Math.min(history.until ?? 0, ...Object.values(history.values || {}).map((pairs) => (pairs.length ? pairs[0][0] : Infinity)));
  for (const [name, pairs] of Object.entries(history.values || {})) {
    for (const [t, value] of pairs) recordValue(name, t, value);
  }
  // An input of which nothing else is known has been what it is since the history begins.
  for (const input of store.program.inputs) {
    if (!input.isEvent && input.value !== undefined && !store.series.has(input.name)) recordValue(input.name, start, input.value);
  }
  for (const [name, pairs] of Object.entries(history.events || {})) {
    for (const [t, value] of pairs) recordEvent(name, t, value);
  }
  store.t = history.until ?? store.t;
  changeAll();
}

export function takeFrame(frame) {
  if (frame.t < store.t - 1e-9) forgetAfter(frame.t);
  const before = Math.min(store.t, frame.t);
  store.t = frame.t;
  if (frame.paused !== undefined) store.paused = frame.paused;
  if (frame.speed !== undefined) store.speed = frame.speed;
  if (frame.whole) {
    store.values.clear();
    store.isAllChanged = true;
  }
  for (const name in frame.values) {
    store.values.set(name, frame.values[name]);
    recordValue(name, frame.t, frame.values[name], before);
    if (!store.past) store.changed.add(name);
  }
  for (const [name, t, value] of frame.events || []) {
    recordEvent(name, t, value);
    store.changed.add(name);
  }
  for (const name in frame.count) store.counts.set(name, frame.count[name]);
  for (const name in frame.rates) store.rates.set(name, frame.rates[name]);
  schedule();
}

/** What occurred before this page was opened becomes part of its lanes. */
function addEarlier(events) {
  const earlier = new Map();
  for (const [name, t, value] of events || []) {
    const lane = seriesOf(store.lanes, name);
    if (lane.t.length && t >= lane.t[0]) continue;
    if (!earlier.has(name)) earlier.set(name, []);
    earlier.get(name).push([t, value]);
  }
  for (const [name, pairs] of earlier) {
    pairs.sort((a, b) => a[0] - b[0]);
    const lane = store.lanes.get(name);
    lane.t.unshift(...pairs.map((pair) => pair[0]));
    lane.v.unshift(...pairs.map((pair) => pair[1]));
  }
}

export function takePast(past) {
  store.past = { t: past.t, values: new Map(Object.entries(past.values || {})) };
  addEarlier(past.events);
  changeAll();
}

export function leavePast() {
  store.past = null;
  store.rewritten = null;
  store.isPastPlaying = false;
  changeAll();
}

/** The old series until a moment, and the new one since. */
function joined(old, at, next) {
  const length = old ? indexAt(old, at - 1e-9) + 1 : 0;
  return { t: [...(old ? old.t.slice(0, length) : []), ...next.t], v: [...(old ? old.v.slice(0, length) : []), ...next.v] };
}

/** Another past since `at`, from the pairs of each output, and what the inputs were there: `given(name)`. */
export function takeRewritten(message, given) {
  const { at, until } = message;
  const values = new Map();
  for (const [name, pairs] of Object.entries(message.new)) values.set(name, seriesOfPairs(pairs));
  for (const input of store.program.inputs) {
    if (input.isEvent) continue;
    // What was done later is done again.
    const later = store.series.get(input.name);
    const first = later ? indexAt(later, at) + 1 : 0;
    values.set(input.name, { t: [at, ...(later ? later.t.slice(first) : [])], v: [given(input.name), ...(later ? later.v.slice(first) : [])] });
  }
  const isEvent = (name) => [...store.program.outputs, ...store.program.inputs].some((one) => one.name === name && (one.isEvent || one.kind === 'event'));
  const merged = new Map();
  for (const [name, series] of values) merged.set(name, joined((isEvent(name) ? store.lanes : store.series).get(name), at, series));
  store.rewritten = { at, until, t: at, isPlaying: false, values, merged };
}

export const shownTime = () => (store.rewritten ?? store.past ?? store).t;
export const shownValue = (name) => (store.rewritten ? valueAt(store.rewritten.values.get(name), store.rewritten.t) : (store.past ? store.past.values : store.values).get(name));
export const shownFault = (name) => faultOf(shownValue(name));
/** How many occurrences of an event are known up to the moment that is shown. */
export const shownOccurrences = (name) => {
  const lane = store.lanes.get(name);
  return lane ? indexAt(lane, shownTime() + 1e-9) + 1 : 0;
};

/** The input, output or definition of a name. */
export const portOf = (name) => store.program && [...store.program.outputs, ...store.program.inputs, ...(store.program.definitions || [])].find((one) => one.name === name);
