// The definitions and what they read, in layers from the inputs to the outputs, with their values.
import { h, icons, numberText, remember, setText, shortText, svg, toggleClass } from './base.js';
import { portOf, shownFault, shownValue, store } from './store.js';
import { iconButton } from './timebar.js';

const boxHeight = 40;
const gapX = 44;
const gapY = 14;

/** Edges of the past that do not lead back: those go forth like the others. */
function forthOf(edges) {
  const forth = edges.filter((edge) => !edge.looksAtPast && edge.from !== edge.to);
  const leads = (from, to) => {
    const seen = new Set([from]);
    const waiting = [from];
    while (waiting.length) {
      const at = waiting.pop();
      if (at === to) return true;
      for (const edge of forth) {
        if (edge.from === at && !seen.has(edge.to)) {
          seen.add(edge.to);
          waiting.push(edge.to);
        }
      }
    }
    return false;
  };
  for (const edge of edges) if (edge.looksAtPast && edge.from !== edge.to && !leads(edge.to, edge.from)) forth.push(edge);
  return forth;
}

/** The layer of each node: one more than the greatest of what it reads. */
function layersOf(nodes, edges) {
  const layer = new Map(nodes.map((node) => [node.id, 0]));
  const now = forthOf(edges);
  for (let round = 0; round < nodes.length; round += 1) {
    let isMoved = false;
    for (const edge of now) {
      const least = layer.get(edge.from) + 1;
      if (layer.get(edge.to) < least && least <= nodes.length) {
        layer.set(edge.to, least);
        isMoved = true;
      }
    }
    if (!isMoved) break;
  }
  return layer;
}

/** Nodes of each layer in an order in which few edges cross: by the middle of their neighbours, forth and back. */
function orderLayers(nodes, edges, layer) {
  const columns = [];
  for (const node of nodes) (columns[layer.get(node.id)] ||= []).push(node.id);
  const filled = columns.filter(Boolean);
  const place = new Map();
  const note = () => filled.forEach((column) => column.forEach((id, index) => place.set(id, index - column.length / 2)));
  note();
  for (let round = 0; round < 8; round += 1) {
    const isForth = round % 2 === 0;
    for (const column of isForth ? filled : [...filled].reverse()) {
      const middle = new Map(column.map((id) => {
        const near = edges.filter((edge) => (isForth ? edge.to : edge.from) === id).map((edge) => place.get(isForth ? edge.from : edge.to));
        return [id, near.length ? near.reduce((sum, one) => sum + one, 0) / near.length : place.get(id)];
      }));
      column.sort((a, b) => middle.get(a) - middle.get(b));
      column.forEach((id, index) => place.set(id, index - column.length / 2));
    }
  }
  return filled;
}

function placeNodes(graph) {
  const known = new Set(graph.nodes.map((node) => node.id));
  const edges = graph.edges.filter((edge) => known.has(edge.from) && known.has(edge.to));
  const columns = orderLayers(graph.nodes, edges, layersOf(graph.nodes, edges));
  const byId = new Map(graph.nodes.map((node) => [node.id, node]));
  const height = Math.max(1, ...columns.map((column) => column.length)) * (boxHeight + gapY);
  const boxes = new Map();
  let left = 12;
  for (const column of columns) {
    const width = Math.max(84, ...column.map((id) => Math.min(170, byId.get(id).name.length * 7.6 + 26)));
    const top = 8 + (height - column.length * (boxHeight + gapY) + gapY) / 2;
    column.forEach((id, index) => boxes.set(id, { left, top: top + index * (boxHeight + gapY), width }));
    left += width + gapX;
  }
  return { boxes, edges, width: Math.max(24, left - gapX + 12), height: height + 16 };
}

function edgePath(from, to) {
  const [x1, y1, x2, y2] = [from.left + from.width, from.top + boxHeight / 2, to.left, to.top + boxHeight / 2];
  if (x2 > x1) {
    const bend = Math.min(60, (x2 - x1) / 2);
    return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
  }
  const low = Math.max(from.top, to.top) + boxHeight + 12;
  return `M${x1 - 10} ${from.top + boxHeight}C${x1} ${low + 14} ${x2} ${low + 14} ${x2 + 10} ${to.top + boxHeight}`;
}

/** The graph; `choose(node)` is told which was clicked. */
export function makeGraph({ choose }) {
  const picture = svg('svg', { class: 'graph-picture', role: 'group', 'aria-label': 'graph of the definitions' });
  const element = h('div', { class: 'graph', tabindex: '0', role: 'region', 'aria-label': 'graph' }, picture);
  let shown = [];
  let drawn = null;
  // The whole of it in its panel, or as large as its words are read best; never larger than that.
  const fit = iconButton(icons.fit, 'show the whole graph', () => {
    remember('graph.fit', isFitted() ? 'no' : 'yes');
    showFitted();
  });
  const isFitted = () => remember('graph.fit') === 'yes';
  function showFitted() {
    toggleClass(element, 'is-fitted', isFitted());
    fit.setAttribute('aria-pressed', String(isFitted()));
  }
  showFitted();

  function mark(node, edges) {
    const near = new Set([node.id]);
    for (const edge of edges) {
      if (edge.edge.from === node.id) near.add(edge.edge.to);
      if (edge.edge.to === node.id) near.add(edge.edge.from);
      toggleClass(edge.line, 'is-near', edge.edge.from === node.id || edge.edge.to === node.id);
    }
    for (const one of shown) toggleClass(one.group, 'is-near', near.has(one.node.id));
    for (const one of shown) toggleClass(one.group, 'is-chosen', one.node.id === node.id);
  }

  function renew(program) {
    const graph = program.graph || { nodes: [], edges: [] };
    const key = JSON.stringify([graph.nodes.map((node) => [node.id, node.name, node.kind]), graph.edges]);
    if (key === drawn) {
      const byId = new Map(graph.nodes.map((node) => [node.id, node]));
      for (const one of shown) Object.assign(one.node, byId.get(one.node.id));
      return;
    }
    drawn = key;
    const { boxes, edges, width, height } = placeNodes(graph);
    const arrow = svg('marker', { id: 'arrow', viewBox: '0 0 8 8', refX: '7', refY: '4', markerWidth: '7', markerHeight: '7', orient: 'auto' }, svg('path', { d: 'M0 .5L7.5 4 0 7.5z', class: 'edge-tip' }));
    const lines = edges.map((edge) => ({ edge, line: svg('path', { class: `edge${edge.looksAtPast ? ' is-past' : ''}`, d: edgePath(boxes.get(edge.from), boxes.get(edge.to)), 'marker-end': 'url(#arrow)' }) }));
    shown = graph.nodes.map((node) => {
      const box = boxes.get(node.id);
      const value = svg('text', { class: 'node-value', x: box.left + 10, y: box.top + 30 });
      const one = { node: { ...node }, value, width: box.width };
      const pick = () => {
        mark(one.node, lines);
        choose(one.node);
      };
      one.group = svg('g', {
        class: `node is-${node.kind}${node.isInput ? ' is-input' : ''}${node.isOutput ? ' is-output' : ''}`,
        role: 'button', tabindex: '0', 'aria-label': `${node.name}, ${node.operation || node.kind}: why`,
        onclick: pick,
        onkeydown: (event) => {
          if (event.key === 'Enter' || event.key === ' ') {
            event.preventDefault();
            event.stopPropagation();
            pick();
          }
        },
      }, svg('title', {}, `${node.name}: ${node.operation || node.kind}`), svg('rect', { x: box.left, y: box.top, width: box.width, height: boxHeight, rx: 9 }),
      svg('text', { class: 'node-name', x: box.left + 10, y: box.top + 16 }, shortText(node.name, 21)), value);
      return one;
    });
    picture.setAttribute('viewBox', `0 0 ${width} ${height}`);
    picture.style.width = `${width}px`;
    picture.style.height = `${height}px`;
    picture.replaceChildren(svg('defs', {}, arrow), ...lines.map((one) => one.line), ...shown.map((one) => one.group));
  }

  return {
    element,
    fit,
    renew,
    draw() {
      for (const { node, value, group, width } of shown) {
        const most = Math.floor((width - 18) / 6.4);
        let text;
        if (node.kind === 'event') {
          const count = store.past ? undefined : store.counts.get(node.name);
          const rate = store.rates.get(node.name);
          text = `${count ? `${numberText(count)}×` : 'event'}${rate ? ` ${rate < 10 ? rate.toFixed(1) : Math.round(rate)}/s` : ''}`;
        } else {
          const now = shownValue(node.name);
          text = now === undefined ? node.operation || '' : typeof now === 'number' ? numberText(now, node.kind === 'continuous' || !Number.isInteger(now)) : shortText(now, most, (portOf(node.name) || node).type);
        }
        setText(value, shortText(text, most));
        toggleClass(group, 'is-fault', !!shownFault(node.name));
      }
    },
  };
}
