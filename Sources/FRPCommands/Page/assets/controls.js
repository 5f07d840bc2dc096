// Controls of inputs, by their types. A field has an `element`, `get()`, `set(value, isForced)` and `isHeld()`: whether somebody has it in hand.
// What is typed stays as it is typed, unless it is forced.
import { clamp, fieldsOf, h, isChoice, isNumber, isNumeric, isPointType, misfit, niceAbove, numberText, readJSON, setText, toggleClass, typeText, wholeNumber, writeJSON } from './base.js';
import { flash } from './views.js';

let lastId = 0;
const newId = () => `c${lastId += 1}`;

function defaultOf(type) {
  if (type === 'Bool') return false;
  if (isNumeric(type)) return 0;
  if (type === 'String' || type === 'Date') return '';
  if (type === 'Unit' || type === 'Json' || !type || type.option) return null;
  if (type.list || type.set) return [];
  if (type.map) return type.map[0] === 'String' ? {} : [];
  if (type.tuple) return type.tuple.map(defaultOf);
  if (type.record) return Object.fromEntries(type.record.map(([name, of]) => [name, defaultOf(of)]));
  if (type.cases && type.cases.length) return caseValue(type.cases[0], type.cases[0][1].map(([, of]) => defaultOf(of)));
  return null;
}

function caseValue([name, fields], values) {
  if (!fields.length) return name;
  if (fields[0][0] !== null) return { [name]: Object.fromEntries(fields.map(([field], index) => [field, values[index]])) };
  return { [name]: fields.length === 1 ? values[0] : values };
}

function switchField(spec) {
  let isOn = false;
  const button = h('button', { type: 'button', role: 'switch', class: 'switch', 'aria-checked': 'false', 'aria-labelledby': spec.labelId });
  const set = (value) => {
    isOn = value === true;
    button.setAttribute('aria-checked', String(isOn));
  };
  button.addEventListener('click', () => {
    set(!isOn);
    spec.changed();
  });
  return { element: button, get: () => isOn, set, isHeld: () => false };
}

/** Where a program says no range, one around the value. */
function rangeAround(value) {
  const size = Math.abs(value);
  if (size <= 1) return value < 0 ? [-1, 1] : [0, 1];
  const top = niceAbove(size * 1.5);
  return value < 0 ? [-top, top] : [0, top];
}

/** A number that somebody has typed, an Int with all of its digits; a sentence for anything else. */
function typedNumber(text, isInt) {
  const plain = text.trim().replace('\u2212', '-').replace(/^\+/, '');
  const number = Number(plain);
  if (plain === '') return 'a number is missing';
  if (!/^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain)) return `${plain} is no number${plain.includes(',') ? ': digits are not grouped, and decimals stand behind a point' : ''}`;
  if (isInt && !Number.isInteger(number) && Number.isFinite(number)) return `${plain} is no whole number`;
  if (isInt ? Number.isSafeInteger(number) : Number.isFinite(number)) return number;
  return isInt && /^-?\d+$/.test(plain) && BigInt.asIntN(64, BigInt(plain)) === BigInt(plain) ? BigInt(plain) : `${plain} is too large`;
}

/** How many decimals a number has. */
function decimalsOf(x) {
  const [, digits, power] = /\.?(\d*)(?:e(.*))?$/.exec(String(x).replace(/^-?\d+/, ''));
  return clamp(digits.length - Number(power || 0), 0, 100);
}

/** A sum without the last digits that binary fractions add: 0.1 and 0.2 are 0.3. */
const sumOf = (a, b) => Number((a + b).toFixed(Math.max(decimalsOf(a), decimalsOf(b))));

/** Whether a key means that what was typed is ready; not one that is still for an input method. */
const isReady = (event) => event.key === 'Enter' && !event.isComposing && event.keyCode !== 229;

function numberField(spec) {
  const isInt = spec.type === 'Int';
  const slider = h('input', { type: 'range', class: 'slider', 'aria-labelledby': spec.labelId, autocomplete: 'off' });
  const field = h('input', { type: 'text', inputmode: isInt ? 'numeric' : 'decimal', class: 'number-field', 'aria-labelledby': spec.labelId, autocomplete: 'off', spellcheck: 'false' });
  const problem = h('p', { class: 'field-problem', 'aria-live': 'polite' });
  let value = 0;
  let mistake = null;
  let isDragged = false;
  let range = spec.range;

  function showSlider() {
    const near = Number(value);
    const least = spec.range || (range && near >= range[0] && near <= range[1] ? range : rangeAround(isInt ? near * 2 || 10 : near));
    range = least;
    const span = range[1] - range[0];
    slider.min = range[0];
    slider.max = range[1];
    slider.step = spec.step || (isInt ? 1 : 10 ** Math.floor(Math.log10(span / 200 || 1)));
    slider.value = near;
    slider.style.setProperty('--part', clamp((near - range[0]) / (span || 1), 0, 1));
  }
  function showMistake(words) {
    mistake = words;
    setText(problem, words || '');
    if (words) field.setAttribute('aria-invalid', 'true');
    else field.removeAttribute('aria-invalid');
  }
  function set(next, isForced) {
    if (!isNumber(next)) return;
    value = next;
    showSlider();
    if (isForced || document.activeElement !== field) field.value = String(value);
    showMistake(null);
  }
  slider.addEventListener('input', () => {
    value = Number(slider.value);
    slider.style.setProperty('--part', clamp((value - range[0]) / (range[1] - range[0] || 1), 0, 1));
    field.value = String(value);
    showMistake(null);
    spec.changed();
  });
  slider.addEventListener('pointerdown', () => { isDragged = true; });
  for (const name of ['pointerup', 'pointercancel', 'blur']) slider.addEventListener(name, () => { isDragged = false; });
  field.addEventListener('input', () => {
    const next = typedNumber(field.value, isInt);
    if (typeof next === 'string') {
      showMistake(next);
      return;
    }
    set(next);
    spec.changed();
  });
  field.addEventListener('keydown', (event) => {
    if (isReady(event)) spec.send();
    const way = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (!way) return;
    event.preventDefault();
    const step = way * Number(slider.step) * (event.shiftKey ? 10 : 1);
    const next = isInt ? wholeNumber(BigInt(typeof value === 'bigint' ? value : Math.round(value)) + BigInt(Math.round(step))) : sumOf(value, step);
    set(spec.range ? clamp(Number(next), ...spec.range) : next, true);
    spec.changed();
  });
  field.addEventListener('blur', () => mistake || set(value));
  set(defaultOf(spec.type));
  return {
    element: h('div', { class: 'number-control' }, slider, field, problem),
    get: () => value,
    set,
    setRange(next, step) {
      spec.range = next;
      spec.step = step;
      showSlider();
    },
    sent() { field.select(); },
    isHeld: () => isDragged || document.activeElement === field,
    error: () => mistake,
  };
}

function droppedFiles(element, take) {
  element.addEventListener('dragover', (event) => {
    event.preventDefault();
    element.classList.add('is-over');
  });
  element.addEventListener('dragleave', () => element.classList.remove('is-over'));
  element.addEventListener('drop', async (event) => {
    element.classList.remove('is-over');
    const file = event.dataTransfer.files[0];
    if (!file) return;
    event.preventDefault();
    take(await file.text());
  });
}

/** A text area ends its lines with `\n`: where they are as they were, they end as they did. */
function withEnds(whole, text) {
  const parts = whole.match(/\r\n|[^]/g) || [];
  const plain = parts.map((part) => (part[0] === '\r' ? '\n' : part));
  const most = Math.min(parts.length, text.length);
  let head = 0;
  while (head < most && plain[head] === text[head]) head += 1;
  let tail = 0;
  while (tail < most - head && plain.at(-1 - tail) === text.at(-1 - tail)) tail += 1;
  return parts.slice(0, head).join('') + text.slice(head, text.length - tail) + parts.slice(parts.length - tail).join('');
}

/** A text of one line or several: Enter sends an event, and makes a line in what has lines; Shift and Enter always makes one. */
function textField(spec) {
  const isSecret = /password|secret/i.test(spec.name || '');
  const about = { class: 'text-field', 'aria-labelledby': spec.labelId, autocomplete: 'off', spellcheck: 'false', placeholder: spec.isEvent ? 'text, then Enter' : '' };
  const field = isSecret ? h('input', { ...about, type: 'password' }) : h('textarea', { ...about, rows: '1' });
  let whole = '';
  const fit = () => { if (!isSecret) field.rows = clamp(field.value.split('\n').length, 1, 10); };
  const get = () => (isSecret || !whole.includes('\r') ? field.value : withEnds(whole, field.value));
  function write(text) {
    whole = text;
    if (get() !== text) field.value = text;
    fit();
  }
  field.addEventListener('input', () => {
    fit();
    spec.changed();
  });
  field.addEventListener('keydown', (event) => {
    if (!isReady(event) || event.shiftKey) return;
    if (!spec.isEvent && field.value.includes('\n')) return;
    event.preventDefault();
    spec.send();
  });
  droppedFiles(field, (text) => {
    write(text);
    spec.changed();
    if (spec.isEvent) spec.send();
  });
  return {
    element: field,
    get,
    set(value) { if (typeof value === 'string' && value !== get()) write(value); },
    sent() { field.select(); },
    isHeld: () => document.activeElement === field,
  };
}

function choiceField(spec) {
  const names = spec.type.cases.map(([name]) => name);
  let chosen = names[0];
  if (names.length > 5) {
    const select = h('select', { class: 'select', 'aria-labelledby': spec.labelId }, names.map((name) => h('option', { value: name }, name)));
    select.addEventListener('change', () => spec.changed());
    return { element: select, get: () => select.value, set: (value) => { select.value = value; }, isHeld: () => false };
  }
  const buttons = names.map((name) => h('label', { class: 'segment' },
    h('input', { type: 'radio', name: spec.labelId, value: name, onchange: () => {
      chosen = name;
      spec.changed();
    } }), h('span', {}, name)));
  const element = h('div', { class: 'segments', role: 'radiogroup', 'aria-labelledby': spec.labelId }, buttons);
  const set = (value) => {
    const index = names.indexOf(value);
    if (index < 0) return;
    chosen = value;
    buttons[index].firstChild.checked = true;
  };
  set(chosen);
  return { element, get: () => chosen, set, isHeld: () => false };
}

function padField(spec) {
  const dot = h('span', { class: 'pad-dot' });
  const words = h('span', { class: 'pad-words' });
  const element = h('div', { class: 'pad', tabindex: '0', role: 'group', 'aria-labelledby': spec.labelId }, dot, words);
  const isInt = fieldsOf(spec.type).some(([, of]) => of === 'Int');
  let value = { x: 0, y: 0 };
  let isHeld = false;
  let isWaiting = false;
  const range = () => {
    const [x, y] = [Number(value.x), Number(value.y)];
    return spec.range || [Math.min(0, -niceAbove(Math.max(1, -Math.min(x, y))) * (Math.min(x, y) < 0)), niceAbove(Math.max(1, x, y))];
  };
  let [low, high] = range();

  function show() {
    const part = (x) => `${clamp((Number(x) - low) / (high - low || 1), 0, 1) * 100}%`;
    dot.style.left = part(value.x);
    dot.style.top = part(value.y);
    setText(words, `${numberText(value.x, !isInt)}, ${numberText(value.y, !isInt)}`);
  }
  function move(x, y) {
    const round = (part) => (isInt ? Math.round(part) : Number((low + clamp(part, 0, 1) * (high - low)).toPrecision(6)));
    value = isInt ? { x: Math.round(low + clamp(x, 0, 1) * (high - low)), y: Math.round(low + clamp(y, 0, 1) * (high - low)) } : { x: round(x), y: round(y) };
    show();
    if (isWaiting) return;
    isWaiting = true;
    requestAnimationFrame(() => {
      isWaiting = false;
      spec.changed();
    });
  }
  element.addEventListener('pointermove', (event) => {
    if (spec.isDisabled()) return;
    const box = element.getBoundingClientRect();
    isHeld = true;
    move((event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
  });
  element.addEventListener('pointerdown', (event) => element.setPointerCapture(event.pointerId));
  element.addEventListener('pointerleave', () => { isHeld = false; });
  element.addEventListener('keydown', (event) => {
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!way || spec.isDisabled() || element.closest('fieldset:disabled')) return;
    event.preventDefault();
    event.stopPropagation();
    const step = event.shiftKey ? 0.1 : 0.02;
    move((Number(value.x) - low) / (high - low) + way[0] * step, (Number(value.y) - low) / (high - low) + way[1] * step);
  });
  show();
  return {
    element,
    get: () => value,
    set(next) {
      if (!next || !isNumber(next.x)) return;
      value = { x: next.x, y: next.y };
      if (!spec.range && (value.x > high || value.y > high || value.x < low || value.y < low)) [low, high] = range();
      show();
    },
    setRange(next) {
      spec.range = next;
      [low, high] = range();
      show();
    },
    isHeld: () => isHeld,
  };
}

function formField(spec, parts, combine, split) {
  const fields = parts.map(([name, type]) => {
    const labelId = newId();
    const field = makeField({ ...spec, name, type, range: null, step: null, labelId });
    return { field, row: h('div', { class: 'form-row' }, h('span', { class: 'form-name', id: labelId }, name === null ? typeText(type) : name), field.element) };
  });
  return {
    element: h('div', { class: 'form', role: 'group', 'aria-labelledby': spec.labelId }, fields.map((one) => one.row)),
    get: () => combine(fields.map((one) => one.field.get())),
    set: (value, isForced) => split(value).forEach((part, index) => part !== undefined && fields[index] && fields[index].field.set(part, isForced)),
    isHeld: () => fields.some((one) => one.field.isHeld()),
    error: () => fields.map((one) => one.field.error && one.field.error()).find(Boolean),
  };
}

function recordField(spec) {
  const fields = fieldsOf(spec.type);
  return formField(spec, fields, (values) => Object.fromEntries(fields.map(([name], index) => [name, values[index]])),
    (value) => fields.map(([name]) => (value ? value[name] : undefined)));
}

function variantsField(spec) {
  const { cases } = spec.type;
  const select = h('select', { class: 'select', 'aria-labelledby': spec.labelId }, cases.map(([name]) => h('option', { value: name }, name)));
  const box = h('div', { class: 'form-case' });
  const forms = cases.map(([, fields]) => (fields.length ? formField(spec, fields, (values) => values, (values) => values) : null));
  const show = () => box.replaceChildren(...(forms[select.selectedIndex] ? [forms[select.selectedIndex].element] : []));
  select.addEventListener('change', () => {
    show();
    spec.changed();
  });
  show();
  return {
    element: h('div', { class: 'form' }, select, box),
    get: () => caseValue(cases[select.selectedIndex], forms[select.selectedIndex] ? forms[select.selectedIndex].get() : []),
    set(value, isForced) {
      const name = typeof value === 'string' ? value : value ? Object.keys(value)[0] : null;
      const index = cases.findIndex(([one]) => one === name);
      if (index < 0) return;
      select.selectedIndex = index;
      const fields = cases[index][1];
      if (fields.length) forms[index].set(fields[0][0] !== null ? fields.map(([field]) => value[name][field]) : fields.length === 1 ? [value[name]] : value[name], isForced);
      show();
    },
    isHeld: () => forms.some((form) => form && form.isHeld()),
    error: () => forms[select.selectedIndex] && forms[select.selectedIndex].error(),
  };
}

function optionField(spec) {
  const inner = makeField({ ...spec, type: spec.type.option });
  const check = h('input', { type: 'checkbox', class: 'check', 'aria-label': `there is a ${spec.name || 'value'}` });
  const show = () => { inner.element.hidden = !check.checked; };
  check.addEventListener('change', () => {
    show();
    spec.changed();
  });
  show();
  return {
    element: h('div', { class: 'option-control' }, check, inner.element),
    get: () => (check.checked ? inner.get() : null),
    set(value, isForced) {
      check.checked = value !== null && value !== undefined;
      if (check.checked) inner.set(value, isForced);
      show();
    },
    isHeld: inner.isHeld,
    error: () => check.checked && inner.error && inner.error(),
  };
}

function jsonField(spec) {
  const field = h('textarea', { class: 'json-field', rows: '3', 'aria-labelledby': spec.labelId, spellcheck: 'false' });
  const problem = h('p', { class: 'field-problem', 'aria-live': 'polite' });
  let value = defaultOf(spec.type);
  let mistake = null;
  const write = () => { field.value = writeJSON(value); };
  function read(text) {
    try {
      const next = readJSON(text);
      show(misfit(next, spec.type));
      if (!mistake) value = next;
    } catch (error) {
      show(error.message);
    }
    if (!mistake) spec.changed();
  }
  function show(words) {
    mistake = words;
    setText(problem, words || '');
    if (words) field.setAttribute('aria-invalid', 'true');
    else field.removeAttribute('aria-invalid');
  }
  field.addEventListener('input', () => read(field.value));
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) spec.send();
  });
  droppedFiles(field, (text) => {
    field.value = text;
    read(text);
  });
  write();
  return {
    element: h('div', { class: 'json-control' }, field, problem),
    get: () => value,
    set(next) {
      value = next;
      show(null);
      write();
    },
    /** It was sent, and fits nothing: it stays to be mended. */
    refuse: show,
    isHeld: () => document.activeElement === field || !!mistake,
    error: () => mistake,
  };
}

function makeField(spec) {
  const { type } = spec;
  if (type === 'Bool') return switchField(spec);
  if (isNumeric(type)) return numberField(spec);
  if (type === 'String') return textField(spec);
  if (type === 'Unit') return { element: h('span', { class: 'more' }, '()'), get: () => null, set() {}, isHeld: () => false };
  if (isChoice(type)) return choiceField(spec);
  if (isPointType(type)) return padField(spec);
  if (fieldsOf(type)) return recordField(spec);
  if (type && type.option && !type.option.option && type.option !== 'Unit') return optionField(spec);
  if (type && type.tuple) return formField(spec, type.tuple.map((of) => [null, of]), (values) => values, (values) => values || []);
  if (type && type.cases && type.cases.every(([, fields]) => fields.every(([, of]) => !of.ref))) return variantsField(spec);
  return jsonField(spec);
}

/** Events whose control is one button, or a few. */
function buttonsOf(input, send) {
  const cases = input.type === 'Unit' ? [[input.name, null]]
    : input.type === 'Bool' ? [['true', true], ['false', false]]
      : isChoice(input.type) && input.type.cases.length <= 8 ? input.type.cases.map(([name]) => [name, name]) : null;
  if (!cases) return null;
  return cases.map(([label, value]) => {
    const button = h('button', { type: 'button', class: 'push', 'aria-label': input.type === 'Unit' ? undefined : `${input.name}: ${label}` }, label);
    button.addEventListener('click', (event) => {
      const box = button.getBoundingClientRect();
      const isKey = event.detail === 0;
      button.style.setProperty('--x', `${isKey ? box.width / 2 : event.clientX - box.left}px`);
      button.style.setProperty('--y', `${isKey ? box.height / 2 : event.clientY - box.top}px`);
      flash(button);
      send(value);
    });
    return button;
  });
}

/** The control of an input; `send(name, value)` gives a value to the run. */
export function makeControl(input, send) {
  const labelId = newId();
  let isDisabled = false;
  let isLate = false;
  let sentAt = -1e9;
  let sent = null;
  // What the run says meanwhile is shown once nobody has the control in hand.
  let told;
  let timer = 0;
  const give = (value) => {
    if (isDisabled) return;
    sentAt = performance.now();
    sent = writeJSON(value);
    send(input.name, value);
  };
  const buttons = input.isEvent ? buttonsOf(input, give) : null;
  const doc = h('p', { class: 'control-doc' }, input.doc || '');
  let field = null;
  let body;
  const isWrong = () => !!field.error && !!field.error();

  function change() {
    isLate = isDisabled;
    if (!isDisabled && !isWrong()) give(field.get());
  }
  function sendField() {
    if (isDisabled || isWrong()) return;
    give(field.get());
    flash(element);
    if (field.sent) field.sent();
  }
  if (buttons) body = h('div', { class: 'pushes', role: 'group', 'aria-labelledby': labelId }, buttons);
  else {
    const isDirect = !input.isEvent || isPointType(input.type);
    field = makeField({
      type: input.type, name: input.name, range: input.range, step: input.step, labelId, isEvent: input.isEvent,
      changed() { if (isDirect) change(); },
      send() { if (input.isEvent) sendField(); },
      isDisabled: () => isDisabled,
    });
    const sendButton = !isDirect && h('button', { type: 'button', class: 'send', onclick: sendField, 'aria-label': `send ${input.name}` }, 'send');
    body = h('div', { class: isDirect ? 'control-body' : 'control-body has-send' }, field.element, sendButton);
  }
  const isSingle = buttons && input.type === 'Unit';
  const label = h('span', { class: isSingle ? 'unseen' : 'control-name', id: labelId }, input.name);
  const group = h('fieldset', { class: 'control-group', 'aria-labelledby': labelId }, body);
  const element = h('section', { class: `control${input.type === 'Bool' && !input.isEvent ? ' is-inline' : ''}`, dataset: { name: input.name } }, label, group, doc);
  if (field && input.value !== undefined) field.set(input.value);

  function catchUp() {
    clearTimeout(timer);
    if (told === undefined || isLate) return;
    const wait = sentAt + 300 - performance.now();
    if (field.isHeld() || wait > 0) {
      timer = setTimeout(catchUp, Math.max(wait, 200));
      return;
    }
    if (writeJSON(told) !== writeJSON(field.get())) field.set(told);
    told = undefined;
  }
  /** What has the focus keeps it, and only says nothing. */
  function shut(focused) {
    group.disabled = isDisabled && !group.contains(focused);
    group.setAttribute('aria-disabled', String(isDisabled));
  }
  element.addEventListener('focusout', (event) => {
    shut(event.relatedTarget || document.activeElement);
    catchUp();
  });
  return {
    element,
    key: JSON.stringify([input.name, input.type, input.isEvent]),
    /** The program is another, this input is as it was. */
    renew(next) {
      setText(doc, next.doc || '');
      if (field && field.setRange && (next.range || input.range)) field.setRange(next.range, next.step);
      input = next;
    },
    /** What the run says that the input is now. A value in someone's hand stays as it is. */
    show(value, isPast) {
      if (!field || value === undefined || input.isEvent) return;
      if (isPast) sentAt = -1e9;
      told = value;
      catchUp();
    },
    /** What was sent was not taken: the field shows again what the run has, unless something else was sent meanwhile.
     * Whether it says itself `why`. */
    giveBack(what, value, why) {
      if (!field || writeJSON(what) !== sent) return false;
      if (why && field.refuse) field.refuse(why);
      else if (!input.isEvent) field.set(value, true);
      return !!why && !!field.refuse;
    },
    occurred() {
      if (buttons && performance.now() - sentAt > 150) flash(buttons[0]);
    },
    disable(isOff, why) {
      element.title = isOff ? why : '';
      if (isDisabled === isOff) return;
      isDisabled = isOff;
      shut(document.activeElement);
      // What was typed meanwhile is said now.
      if (!isOff && isLate) change();
      toggleClass(element, 'is-off', isOff);
    },
  };
}
