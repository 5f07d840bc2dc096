// What every module uses: elements made without markup, text of values, types.

const svgSpace = 'http://www.w3.org/2000/svg';

function fillElement(element, properties, children) {
  for (const [key, value] of Object.entries(properties || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else if (key === 'dataset') Object.assign(element.dataset, value);
    else if (key === 'value' || key === 'checked') element[key] = value;
    else element.setAttribute(key, value === true ? '' : value);
  }
  element.append(...children.filter((child) => child !== undefined && child !== null && child !== false));
  return element;
}

/** An element; strings among the children become text nodes, so no value is ever read as markup. */
export function h(tag, properties, ...children) {
  return fillElement(document.createElement(tag), properties, children.flat());
}

/** An element of SVG. */
export function svg(tag, properties, ...children) {
  return fillElement(document.createElementNS(svgSpace, tag), properties, children.flat());
}

/** Sets a node's text where it differs: writing the same text again would cost a layout. */
export function setText(node, text) {
  if (node.shownText !== text) node.textContent = node.shownText = text;
}

export function toggleClass(element, name, isOn) {
  if (element.classList.contains(name) !== isOn) element.classList.toggle(name, isOn);
}

/** Puts a node before another; what has the focus keeps it, where the browser can move what is shown. */
export function putBefore(parent, node, next) {
  if (parent.moveBefore && parent.isConnected && node.isConnected) parent.moveBefore(node, next);
  else parent.insertBefore(node, next);
}

/** Puts elements into an order behind all others. What has the focus stays: the others are put around it. */
export function order(parent, elements) {
  let next = null;
  for (const element of elements.toReversed()) {
    const isHeld = element.parentNode === parent && element.contains(document.activeElement);
    if (!isHeld && (element.parentNode !== parent || element.nextSibling !== next)) putBefore(parent, element, next);
    next = element;
  }
}

/** Makes these the elements of a parent. */
export function place(parent, elements) {
  const wanted = new Set(elements);
  for (const child of [...parent.children]) if (!wanted.has(child)) child.remove();
  order(parent, elements);
}

/** What this does may move the element with the focus: it keeps it, and its caret. */
export function keepFocus(act) {
  const held = document.activeElement;
  const range = held && typeof held.selectionStart === 'number' ? [held.selectionStart, held.selectionEnd, held.selectionDirection] : null;
  act();
  if (!held || held === document.activeElement || !held.isConnected) return;
  held.focus({ preventScroll: true });
  if (range) held.setSelectionRange(...range);
}

export const clamp = (x, low, high) => Math.min(high, Math.max(low, x));

/** Icons are paths in a square of 24 units. */
export function icon(path, label) {
  const picture = svg('svg', { viewBox: '0 0 24 24', class: 'icon', 'aria-hidden': label ? undefined : 'true' });
  picture.append(svg('path', { d: path }));
  return picture;
}

export const icons = {
  play: 'M8 5.5v13l11-6.5z',
  pause: 'M7.5 5.5h3v13h-3zM13.5 5.5h3v13h-3z',
  step: 'M6 5.5v13l9-6.5zM16 5.5h2.5v13H16z',
  restart: 'M12 5V2L7 6.5 12 11V8a4.5 4.5 0 1 1-4.5 4.5H5A7 7 0 1 0 12 5z',
  share: 'M12 3l5 5h-3.5v7h-3V8H7zM5 13h2.5v5.5h9V13H19v8H5z',
  undo: 'M9 6V2.5L3 8l6 5.5V10h5a4 4 0 0 1 0 8H8v3h6a7 7 0 0 0 0-15z',
  redo: 'M15 6V2.5L21 8l-6 5.5V10h-5a4 4 0 0 0 0 8h6v3h-6a7 7 0 0 1 0-15z',
  save: 'M5 4h11l3 3v13H5zm3 1.5V10h7V5.5zm4 7.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5z',
  fit: 'M4 9V4h5v2H6v3zM15 4h5v5h-2V6h-3zM4 15h2v3h3v2H4zM18 15h2v5h-5v-2h3zM9 9h6v6H9z',
  forget: 'M9 4h6l1 1.5h4V8H4V5.5h4zM5.5 9.5h13L17.6 20H6.4z',
  close: 'M6.5 5L12 10.5 17.5 5 19 6.5 13.5 12l5.5 5.5-1.5 1.5-5.5-5.5L6.5 19 5 17.5l5.5-5.5L5 6.5z',
};

/** A text as a file of the browser's downloads. */
export function download(name, text, type) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const anchor = h('a', { href: address, download: name });
  document.body.append(anchor);
  anchor.click();
  anchor.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

/** Whole numbers that a double does not hold are BigInts here, so that no digit of an Int is lost. */
export const isNumber = (x) => typeof x === 'number' || typeof x === 'bigint';

/** A whole number as it is kept here. */
export const wholeNumber = (digits) => (Number.isSafeInteger(Number(digits)) ? Number(digits) : BigInt(digits));

/** What `JSON.parse` would give, numbers as above, and the keys of an object in their order (`entriesOf`). */
export function readJSON(text) {
  const value = JSON.parse(text);
  return /(^|[[:,\s-])\d{16}|"\d+"\s*:/.test(text) ? readExactly(text) : value;
}

/** Keys like "10" stand before all others in an object, whatever their order was: of such an object it is kept. */
const keyOrder = Symbol('keyOrder');

function objectOf(entries) {
  const object = Object.fromEntries(entries);
  if (entries.some(([key]) => /^\d+$/.test(key))) Object.defineProperty(object, keyOrder, { value: [...new Set(entries.map(([key]) => key))] });
  return object;
}

/** As `Object.entries`, in the order of the text that was read. */
export const entriesOf = (object) => (object[keyOrder] ? object[keyOrder].map((key) => [key, object[key]]) : Object.entries(object));

/** The text is right: it was read before. */
function readExactly(text) {
  const tokens = text.match(/"(?:[^"\\]+|\\.)*"|[[\]{}:,]|[^\s[\]{}:,"]+/g);
  let place = 0;
  const next = () => tokens[(place += 1) - 1];
  const items = (end, item) => {
    const all = [];
    while (tokens[place] !== end) {
      all.push(item());
      if (tokens[place] === ',') place += 1;
    }
    place += 1;
    return all;
  };
  const field = () => {
    const name = JSON.parse(next());
    place += 1;
    return [name, value()];
  };
  function value() {
    const token = next();
    if (token === '[') return items(']', value);
    if (token === '{') return objectOf(items('}', field));
    return /^-?\d+$/.test(token) ? wholeNumber(token) : JSON.parse(token);
  }
  return value();
}

/** What `JSON.stringify` would give, and all digits of every number. */
export function writeJSON(value) {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return `[${value.map(writeJSON).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value ?? null);
  return `{${entriesOf(value).filter(([, item]) => item !== undefined).map(([name, item]) => `${JSON.stringify(name)}:${writeJSON(item)}`).join(',')}}`;
}

/** A number as people read it; those that move keep a steady width. */
export function numberText(x, isFloat) {
  if (!isNumber(x)) return String(x);
  if (typeof x === 'bigint' || (Number.isInteger(x) && !isFloat)) return x.toLocaleString('en-US').replaceAll(',', '\u202f').replace('-', '\u2212');
  const size = Math.abs(x);
  let text;
  if (size !== 0 && (size < 1e-3 || size >= 1e9)) text = x.toExponential(2);
  else text = x.toFixed(size >= 10000 ? 0 : size >= 1000 ? 1 : size >= 10 ? 2 : 3);
  return text.replace('-', '\u2212');
}

export const secondsText = (t) => (t >= 3600
  ? `${Math.floor(t / 3600)}:${String(Math.floor(t / 60) % 60).padStart(2, '0')}:${String(Math.floor(t) % 60).padStart(2, '0')}`
  : t >= 60 ? `${Math.floor(t / 60)}:${(t % 60).toFixed(1).padStart(4, '0')}` : `${t.toFixed(2)}\u202fs`);

/** Words of the server in which a moment has more digits than people read. */
export const shortTimes = (words) => words.replace(/(?<=\bat )\d+\.\d{4,}(?= s\b)/g, (t) => String(+Number(t).toFixed(3)));

/** Why there is no value; a map that has such a key among others is one. */
export const faultOf = (value) => (value && typeof value === 'object' && typeof value.$fault === 'string' && Object.keys(value).length === 1 ? value.$fault : null);

/** A value on one line, at most so many characters. Of a type without values of its own it is `()`, where there is none `none`. */
export function shortText(value, limit = 40, type = 'Unit') {
  const text = value === null && type !== 'Unit' ? 'none' : lineText(value, limit, 0);
  return text.length > limit ? `${text.slice(0, cutBefore(text, limit - 1))}…` : text;
}

const escapes = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '"': '\\"', '\\': '\\\\', '{': '\\{' };

/** As a source has it: one line, whatever stands in a text. */
export function sourceText(value, limit, type) {
  const isText = typeof value === 'string' && type === 'String';
  const control = (letter) => escapes[letter] || `\\u{${letter.codePointAt(0).toString(16)}}`;
  const text = shortText(value, limit, type).replace(isText ? /["\\{\p{Cc}\p{Zl}\p{Zp}]/gu : /[\p{Cc}\p{Zl}\p{Zp}]/gu, control);
  return isText ? `"${text}"` : text;
}

/** Where a text can be cut, at a place or just before it: not inside of a character. */
function cutBefore(text, place) {
  const letters = Intl.Segmenter && new Intl.Segmenter().segment(text.slice(0, place + 50));
  return letters ? letters.containing(place).index : place;
}

/** A value on one line; what is cut is told whole to who points at it. */
export function setShort(node, value, limit, type) {
  const text = shortText(value, limit, type);
  setText(node, text);
  const whole = text.endsWith('…') ? shortText(value, 1000, type) : '';
  if (node.title !== whole) node.title = whole;
}

function lineText(value, limit, depth) {
  if (value === undefined) return '';
  if (value === null) return depth ? 'none' : '()';
  if (isNumber(value)) return numberText(value, typeof value === 'number' && !Number.isInteger(value));
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  if (depth > 3) return '…';
  const parts = [];
  let length = 0;
  if (Array.isArray(value)) {
    for (const item of value) {
      parts.push(lineText(item, limit, depth + 1));
      if ((length += parts.at(-1).length) > limit) break;
    }
    return `[${parts.join(', ')}]`;
  }
  if (faultOf(value)) return `⚠ ${value.$fault}`;
  const entries = entriesOf(value);
  if (entries.length === 1 && /^[A-Z]/.test(entries[0][0])) return `${entries[0][0]} ${lineText(entries[0][1], limit, depth + 1)}`;
  for (const [key, item] of entries) {
    parts.push(`${key}: ${lineText(item, limit, depth + 1)}`);
    if ((length += parts.at(-1).length) > limit) break;
  }
  return `{${parts.join(', ')}}`;
}

export const isNumeric = (type) => type === 'Int' || type === 'Float';
export const fieldsOf = (type) => (type && type.record ? type.record : null);

export function isPointType(type) {
  const fields = fieldsOf(type);
  return !!fields && fields.length === 2 && fields.every(([name, of]) => (name === 'x' || name === 'y') && isNumeric(of));
}

/** Variants none of which has fields. */
export const isChoice = (type) => !!type && !!type.cases && type.cases.length > 0 && type.cases.every(([, fields]) => fields.length === 0);

export const isPageView = (type) => !!type && (type.variants === 'Page.View' || type.variants === 'View')
  && type.cases.some(([name]) => name === 'Drawing');

export function typeText(type) {
  if (typeof type === 'string') return type;
  if (!type) return '';
  if (type.list) return `List<${typeText(type.list)}>`;
  if (type.set) return `Set<${typeText(type.set)}>`;
  if (type.map) return `Map<${type.map.map(typeText).join(', ')}>`;
  if (type.option) return `Option<${typeText(type.option)}>`;
  if (type.result) return `Result<${type.result.map(typeText).join(', ')}>`;
  if (type.tuple) return `(${type.tuple.map(typeText).join(', ')})`;
  if (type.record) return `{${type.record.map(([name, of]) => `${name}: ${typeText(of)}`).join(', ')}}`;
  return type.variants || type.ref || type.other || '';
}

const isKey = (type) => type === 'String';
const within = (place, words) => words && `${place}${words.startsWith('.') || words.startsWith('[') ? '' : ': '}${words}`;
const firstOf = (items, check) => {
  for (const [index, item] of items.entries()) {
    const words = check(item, index);
    if (words) return words;
  }
  return null;
};

/** Why a value is none of a type, with the place in it; null where it is one, or the server has to say. */
export function misfit(value, type) {
  const text = writeJSON(value);
  const no = `${text.length > 30 ? `${text.slice(0, 29)}…` : text} is no ${typeText(type)}`;
  const object = value && typeof value === 'object' && !Array.isArray(value) ? value : null;
  const items = (of) => (Array.isArray(value) ? firstOf(value, (item, index) => within(`[${index}]`, misfit(item, of))) : no);
  if (type === 'Bool') return typeof value === 'boolean' ? null : no;
  if (type === 'Float') return isNumber(value) ? null : no;
  if (type === 'Int') return typeof value === 'bigint' || Number.isInteger(value) ? null : no;
  if (type === 'String') return typeof value === 'string' ? null : no;
  if (!type || typeof type === 'string') return null;
  if (type.option) return value === null ? null : misfit(value, type.option);
  if (type.list || type.set) return items(type.list || type.set);
  if (type.map && isKey(type.map[0])) return object ? firstOf(entriesOf(object), ([key, item]) => within(`.${key}`, misfit(item, type.map[1]))) : no;
  if (type.tuple) return Array.isArray(value) && value.length === type.tuple.length ? firstOf(type.tuple, (of, index) => within(`[${index}]`, misfit(value[index], of))) : no;
  if (!type.record) return null;
  if (!object) return no;
  return firstOf(type.record, ([name, of]) => (Object.hasOwn(object, name) ? within(`.${name}`, misfit(object[name], of)) : of && of.option ? null : `.${name} is missing`))
    || firstOf(Object.keys(object), (name) => (type.record.some(([field]) => field === name) ? null : `there is no field ${name}`));
}

/** A number from 1, 2 or 5 times a power of ten that is at least x. */
export function niceAbove(x) {
  const power = 10 ** Math.floor(Math.log10(Math.max(x, 1e-9)));
  return [1, 2, 5, 10].map((times) => times * power).find((nice) => nice >= x * (1 - 1e-9));
}

/** Remembers how the page is arranged, where the browser allows that. */
export function remember(key, value) {
  try {
    if (value !== undefined) localStorage.setItem(`frp.${key}`, value);
    return localStorage.getItem(`frp.${key}`);
  } catch {
    return null;
  }
}
