// Canvases: drawings of the program, plots, sparklines, marbles. Colours come from the page's style.
import { clamp, isNumber, numberText } from './base.js';
import { changeAll, indexAt } from './store.js';

const paletteNames = ['ink', 'muted', 'accent', 'good', 'warn', 'bad', 'paper', 'card', 'line', 'pale'];
let colours = null;
let ownColours = null;

function coloursOf(element) {
  const style = getComputedStyle(element);
  return Object.fromEntries(paletteNames.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
}

/** The colours of the page as they are now: they follow light and dark, and whether the past is shown. */
export function palette() {
  if (!colours) colours = coloursOf(document.body);
  return colours;
}

export function renewPalette() {
  colours = ownColours = null;
  checkedColours.clear();
  changeAll();
}

matchMedia('(prefers-color-scheme: dark)').addEventListener('change', renewPalette);

/** Those that a program names: a red ball is red in the past as well. */
function ownPalette() {
  if (!ownColours) ownColours = coloursOf(document.documentElement);
  return ownColours;
}

const checkedColours = new Map();
const colourPattern = /^(#[0-9a-f]{3,8}|[a-z]+|(rgb|hsl)a?\([\d\s.,%/a-z+-]+\))$/i;

/** A colour that a program names: one of the palette, or of CSS; what is neither is ink. */
export function colourOf(name) {
  let colour = checkedColours.get(name);
  if (colour === undefined) {
    const known = ownPalette();
    if (Object.hasOwn(known, name)) colour = known[name];
    else colour = typeof name === 'string' && colourPattern.test(name) && CSS.supports('color', name) ? name : known.ink;
    if (checkedColours.size > 5000) checkedColours.clear();
    checkedColours.set(name, colour);
  }
  return colour;
}

const uiFont = 'ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif';

/** A canvas that has as many pixels as its place on the screen. */
export class Surface {
  constructor(className, label) {
    this.canvas = document.createElement('canvas');
    this.canvas.className = className;
    if (label) {
      this.canvas.setAttribute('role', 'img');
      this.canvas.setAttribute('aria-label', label);
    } else this.canvas.setAttribute('aria-hidden', 'true');
    this.width = 0;
    this.height = 0;
    new ResizeObserver((entries) => {
      const box = entries[0].contentRect;
      if (box.width === this.width && box.height === this.height) return;
      this.width = box.width;
      this.height = box.height;
      changeAll();
    }).observe(this.canvas);
  }

  /** The context, cleared, one unit a CSS pixel; null where nothing could be seen. */
  begin() {
    if (this.width < 2 || this.height < 2) return null;
    const ratio = Math.min(devicePixelRatio || 1, 3);
    const [width, height] = [Math.round(this.width * ratio), Math.round(this.height * ratio)];
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width;
      this.canvas.height = height;
    }
    const context = this.canvas.getContext('2d');
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    return context;
  }
}

// Shapes of a program.

function tracePoints(context, points) {
  context.beginPath();
  for (let index = 0; index < points.length; index += 1) {
    if (index) context.lineTo(points[index].x, points[index].y);
    else context.moveTo(points[index].x, points[index].y);
  }
}

function strokeWith(context, colour, width) {
  context.strokeStyle = colourOf(colour);
  context.lineWidth = width;
  context.stroke();
}

function fillWith(context, colour) {
  context.fillStyle = colourOf(colour);
  context.fill();
}

const radians = (degrees) => (degrees * Math.PI) / 180;

const painters = {
  Circle(context, s) {
    context.beginPath();
    context.arc(s.x, s.y, Math.max(0, s.r), 0, 2 * Math.PI);
    fillWith(context, s.fill);
  },
  Rect(context, s) {
    context.beginPath();
    if (s.corner > 0) context.roundRect(s.x, s.y, s.width, s.height, Math.min(s.corner, Math.abs(s.width) / 2, Math.abs(s.height) / 2));
    else context.rect(s.x, s.y, s.width, s.height);
    fillWith(context, s.fill);
  },
  Arc(context, s) {
    context.beginPath();
    context.arc(s.x, s.y, Math.max(0, s.r), radians(s.from - 90), radians(s.to - 90), s.to < s.from);
    strokeWith(context, s.stroke, s.width);
  },
  Line(context, s) {
    tracePoints(context, [s.from, s.to]);
    strokeWith(context, s.stroke, s.width);
  },
  Path(context, s) {
    tracePoints(context, s.points);
    strokeWith(context, s.stroke, s.width);
  },
  Polygon(context, s) {
    tracePoints(context, s.points);
    context.closePath();
    fillWith(context, s.fill);
  },
  Label(context, s) {
    context.font = `${Math.max(0, s.size)}px ${uiFont}`;
    context.textAlign = s.anchor === 'Start' ? 'left' : s.anchor === 'End' ? 'right' : 'center';
    context.textBaseline = 'middle';
    context.fillStyle = colourOf(s.fill);
    context.fillText(s.text, s.x, s.y);
  },
  Group(context, s) {
    context.save();
    context.translate(s.moved.x, s.moved.y);
    context.rotate(radians(s.turned));
    context.scale(s.scaled, s.scaled);
    context.globalAlpha *= clamp(s.opacity, 0, 1);
    paintShapes(context, s.shapes);
    context.restore();
  },
};

function paintShapes(context, shapes) {
  for (const shape of shapes) {
    for (const kind in shape) if (Object.hasOwn(painters, kind)) painters[kind](context, shape[kind]);
  }
}

/** Where a drawing of so many units lies on a surface: it keeps its proportions. */
export function fitDrawing(surface, drawing) {
  const scale = Math.min(surface.width / Math.max(drawing.width, 1e-9), surface.height / Math.max(drawing.height, 1e-9));
  return { scale, left: (surface.width - drawing.width * scale) / 2, top: (surface.height - drawing.height * scale) / 2 };
}

export function paintDrawing(surface, drawing) {
  const context = surface.begin();
  if (!context) return;
  const fit = fitDrawing(surface, drawing);
  context.save();
  context.translate(fit.left, fit.top);
  context.scale(fit.scale, fit.scale);
  context.beginPath();
  context.rect(0, 0, drawing.width, drawing.height);
  context.clip();
  context.lineCap = context.lineJoin = 'round';
  paintShapes(context, drawing.shapes);
  context.restore();
}

/** The words in a drawing, for who cannot see it. */
export function drawingWords(drawing) {
  const words = [];
  const collect = (shapes) => {
    for (const shape of shapes) {
      if (words.length >= 30) return;
      if (shape.Label) words.push(shape.Label.text);
      else if (shape.Group) collect(shape.Group.shapes);
    }
  };
  collect(drawing.shapes);
  return words.join(', ');
}

// Lines over time.

/** The least and greatest number of a series between two moments, with what holds at the first of them; null for none. */
export function extentOf(series, from, to) {
  let low = Infinity;
  let high = -Infinity;
  for (let index = Math.max(0, indexAt(series, from)); index < series.t.length && series.t[index] <= to; index += 1) {
    if (!isNumber(series.v[index])) continue;
    const value = Number(series.v[index]);
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low > high ? null : [low, high];
}

/** An extent with some room, so that a line never lies on the edge. */
export function roomAround(extent) {
  if (!extent) return [0, 1];
  const [low, high] = extent;
  const room = high - low < 1e-9 * Math.max(1, Math.abs(high)) ? Math.max(Math.abs(high) * 0.2, 0.5) : (high - low) * 0.08;
  return [low - room, high + room];
}

/** Draws a series; `box` has left, top, width, height, from, to (seconds) and low, high (values). A step goes on until `until`. */
export function traceSeries(context, box, series, { isStep, until }) {
  const x = (t) => box.left + ((t - box.from) / (box.to - box.from)) * box.width;
  const y = (v) => box.top + box.height - ((v - box.low) / (box.high - box.low)) * box.height;
  let isOpen = false;
  let lastY = 0;
  const end = Math.min(until ?? box.to, box.to);
  const first = Math.max(0, indexAt(series, box.from));
  const stride = Math.max(1, Math.floor((indexAt(series, end) - first) / (box.width * 2)));
  context.beginPath();
  for (let index = first; index < series.t.length && series.t[index] <= end; index += stride) {
    if (!isNumber(series.v[index])) {
      isOpen = false;
      continue;
    }
    const [px, py] = [x(series.t[index]), y(Number(series.v[index]))];
    if (!isOpen) context.moveTo(px, py);
    else {
      if (isStep) context.lineTo(px, lastY);
      context.lineTo(px, py);
    }
    isOpen = true;
    lastY = py;
  }
  if (isOpen) context.lineTo(x(end), lastY);
  return isOpen ? { x: x(end), y: lastY } : null;
}

/** A whole number of seconds, or a nice part of one, between the ticks of an axis. */
export function tickStep(span, width, least = 70) {
  const raw = (span * least) / Math.max(width, 1);
  const power = 10 ** Math.floor(Math.log10(raw));
  return [1, 2, 5, 10].map((times) => times * power).find((step) => step >= raw) || power * 10;
}

export function paintTimeAxis(context, box, bottom) {
  const step = tickStep(box.to - box.from, box.width);
  context.font = `10.5px ${uiFont}`;
  context.fillStyle = palette().muted;
  context.textAlign = 'center';
  context.textBaseline = 'alphabetic';
  for (let tick = Math.max(0, Math.ceil(box.from / step)); tick * step <= box.to; tick += 1) {
    const px = box.left + ((tick * step - box.from) / (box.to - box.from)) * box.width;
    if (px < box.left + 8 || px > box.left + box.width - 12) continue;
    context.fillText(`${+(tick * step).toFixed(3)}\u202fs`, px, bottom);
  }
}

/** What stands at the ticks of an axis, in their order: digits enough that no two are the same. */
export function tickLabels(ticks, step) {
  const powerOf = (x) => Math.floor(Math.log10(Math.abs(x)) + 1e-9);
  const most = Math.max(...ticks.map(Math.abs));
  const decimals = Math.max(0, -powerOf(step));
  const plain = (value) => (decimals ? String(+value.toFixed(decimals)) : numberText(Math.round(value), false));
  const powers = (value) => (value ? value.toExponential(clamp(powerOf(value) - powerOf(step), 0, 15)).replace(/\.?0+e/, 'e') : '0');
  const isLong = (value) => value !== 0 && powerOf(value) - powerOf(step) > 5;
  if (most >= 1e-3 && most < 1e7 && decimals <= 8) return ticks.map((value) => plain(value).replaceAll('-', '\u2212'));
  // Of large numbers that hardly differ the first is written whole, and by how much the others are more.
  if (ticks.some(isLong)) return ticks.map((value, index) => (index ? `+\u202f${tickLabels([+(index * step).toPrecision(12)], step)[0]}` : powers(value).replaceAll('-', '\u2212')));
  return ticks.map((value) => powers(value).replaceAll('-', '\u2212'));
}

function paintValueAxis(context, box) {
  const step = tickStep(box.high - box.low, box.height, 34);
  context.font = `10.5px ${uiFont}`;
  context.textAlign = 'left';
  context.textBaseline = 'middle';
  const ticks = [];
  for (let tick = Math.ceil(box.low / step); tick * step <= box.high; tick += 1) ticks.push(tick * step);
  const labels = tickLabels(ticks.map((value) => +value.toPrecision(12)), step);
  ticks.forEach((tick, index) => {
    const y = Math.round(box.top + box.height - ((tick - box.low) / (box.high - box.low)) * box.height) + 0.5;
    context.strokeStyle = palette().line;
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(box.left, y);
    context.lineTo(box.left + box.width, y);
    context.stroke();
    context.fillStyle = palette().muted;
    // Above its line, or below where there is no room above.
    context.fillText(labels[index], box.left + 4, y < 14 ? y + 8 : y - 7);
  });
}

/** A plot of lines: `[{series, colour, isStep, isPale, isDashed, until}]`; the last one is the one that matters. */
export function paintPlot(surface, lines, { from, to, now, isBare }) {
  const context = surface.begin();
  if (!context) return;
  const extents = lines.map((line) => extentOf(line.series, from, to)).filter(Boolean);
  const extent = extents.length ? [Math.min(...extents.map((one) => one[0])), Math.max(...extents.map((one) => one[1]))] : null;
  const [low, high] = roomAround(extent);
  const box = {
    left: 0, top: 4, width: surface.width - 6, height: surface.height - (isBare ? 8 : 22), from, to, low, high,
  };
  if (!isBare) {
    paintValueAxis(context, box);
    paintTimeAxis(context, box, surface.height - 4);
  }
  context.lineJoin = 'round';
  for (const line of lines) {
    context.globalAlpha = line.isPale ? 0.45 : 1;
    context.setLineDash(line.isDashed ? [4, 4] : []);
    const tip = traceSeries(context, box, line.series, line);
    context.strokeStyle = line.colour;
    context.lineWidth = isBare ? 1.5 : 2;
    context.stroke();
    if (tip && !line.isPale) {
      context.beginPath();
      context.arc(tip.x, tip.y, isBare ? 2 : 3.5, 0, 2 * Math.PI);
      context.fillStyle = line.colour;
      context.fill();
    }
  }
  context.globalAlpha = 1;
  context.setLineDash([]);
  if (now !== undefined && now > from && now < to) paintMoment(context, box, now);
}

export function paintMoment(context, box, t) {
  const x = Math.round(box.left + ((t - box.from) / (box.to - box.from)) * box.width) + 0.5;
  context.strokeStyle = palette().accent;
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(x, box.top - 4);
  context.lineTo(x, box.top + box.height + 4);
  context.stroke();
}

/** Occurrences as marbles, in the middle of a box; those after `until` are pale. */
export function paintMarbles(context, box, lane, { until, colour, isPale, radius = 5 }) {
  const middle = box.top + box.height / 2;
  let last = -100;
  const first = Math.max(0, indexAt(lane, box.from));
  for (let index = first; index < lane.t.length && lane.t[index] <= box.to; index += 1) {
    const t = lane.t[index];
    const x = box.left + ((t - box.from) / (box.to - box.from)) * box.width;
    if (x < box.left - radius || x - last < 0.7) continue;
    last = x;
    context.globalAlpha = isPale || (until !== undefined && t > until + 1e-9) ? 0.28 : 1;
    context.beginPath();
    context.arc(x, middle, radius, 0, 2 * Math.PI);
    context.fillStyle = colour;
    context.fill();
  }
  context.globalAlpha = 1;
}

export function paintWord(context, text, x, y, colour, { align = 'left', size = 11, most } = {}) {
  context.font = `${size}px ${uiFont}`;
  context.textAlign = align;
  context.textBaseline = 'middle';
  context.fillStyle = colour;
  if (most) context.fillText(text, x, y, most);
  else context.fillText(text, x, y);
}
