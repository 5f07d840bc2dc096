// Markdown as elements that are made here: nothing in it is ever read as markup of the page.
import { h } from './base.js';

const inlinePattern = /(`+)(.+?)\1(?!`)|\*\*([^*]+)\*\*|\*([^*\s][^*]*)\*|\b_([^_]+)_\b|\[([^\]]+)\]\(([^\s)]+)\)/g;

/** What a link leads to: addresses of the web. */
const webLink = (address, words) => (/^https?:\/\//.test(address) ? h('a', { href: address, rel: 'noopener noreferrer', target: '_blank' }, words) : null);

function inlineNodes(text, linkOf) {
  const nodes = [];
  let end = 0;
  for (const match of text.matchAll(inlinePattern)) {
    nodes.push(text.slice(end, match.index));
    end = match.index + match[0].length;
    if (match[2]) nodes.push(h('code', {}, match[2].replace(/^ (.+) $/, '$1')));
    else if (match[3]) nodes.push(h('strong', {}, inlineNodes(match[3], linkOf)));
    else if (match[4] || match[5]) nodes.push(h('em', {}, inlineNodes(match[4] || match[5], linkOf)));
    else nodes.push(linkOf(match[7], match[6]) || webLink(match[7], match[6]) || match[0]);
  }
  nodes.push(text.slice(end));
  return nodes.filter((node) => node !== '');
}

const blockStart = /^(#{1,4}\s|\s{0,3}(`{3,}|~{3,})|\s*[-*+]\s|\s*\d+[.)]\s|>|\s*---+\s*$|\|)/;
const cellsOf = (line) => line.trim().replace(/^\||\|$/g, '').split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));

/** Headings from level `top` on, paragraphs, lists, quotes, tables, code, emphasis and links. `linkOf(address, words)` may make other links. */
export function markdownNodes(source, { linkOf = () => null, top = 2 } = {}) {
  const nodes = [];
  const lines = source.split('\n');
  let at = 0;
  const inline = (text) => inlineNodes(text, linkOf);

  function codeBlock() {
    const mark = lines[at].match(/^\s*(`{3,}|~{3,})/)[1];
    const start = at += 1;
    while (at < lines.length && !lines[at].trim().startsWith(mark)) at += 1;
    nodes.push(h('pre', { tabindex: '0' }, h('code', {}, lines.slice(start, at).join('\n'))));
    at += 1;
  }

  /** Items go on in lines that stand further in, and where a paragraph goes on. */
  function list(pattern, tag) {
    const items = [];
    while (at < lines.length && (pattern.test(lines[at]) || (items.length && lines[at].trim() !== '' && !blockStart.test(lines[at])))) {
      if (pattern.test(lines[at])) items.push(lines[at].replace(pattern, ''));
      else items[items.length - 1] += ` ${lines[at].trim()}`;
      at += 1;
    }
    nodes.push(h(tag, {}, items.map((item) => h('li', {}, inline(item)))));
  }

  function table() {
    const head = cellsOf(lines[at]);
    at += 2;
    const rows = [];
    while (at < lines.length && lines[at].trim().startsWith('|')) rows.push(cellsOf(lines[at++]));
    nodes.push(h('div', { class: 'view-table', tabindex: '0' }, h('table', {}, h('thead', {}, h('tr', {}, head.map((cell) => h('th', { scope: 'col' }, inline(cell))))),
      h('tbody', {}, rows.map((row) => h('tr', {}, row.map((cell) => h('td', {}, inline(cell)))))))));
  }

  function paragraph() {
    const words = [lines[at++].trim()];
    while (at < lines.length && lines[at].trim() !== '' && !blockStart.test(lines[at])) words.push(lines[at++].trim());
    nodes.push(h('p', {}, inline(words.join(' '))));
  }

  while (at < lines.length) {
    const line = lines[at];
    const heading = line.match(/^(#{1,4})\s+(.*)$/);
    if (line.trim() === '') at += 1;
    else if (heading) {
      nodes.push(h(`h${heading[1].length + top - 1}`, {}, inline(heading[2])));
      at += 1;
    } else if (/^\s*---+\s*$/.test(line)) {
      nodes.push(h('hr'));
      at += 1;
    } else if (/^\s{0,3}(`{3,}|~{3,})/.test(line)) codeBlock();
    else if (line.trim().startsWith('|') && /^\s*\|?\s*:?-+/.test(lines[at + 1] || '')) table();
    else if (/^\s*[-*+]\s+/.test(line)) list(/^\s*[-*+]\s+/, 'ul');
    else if (/^\s*\d+[.)]\s+/.test(line)) list(/^\s*\d+[.)]\s+/, 'ol');
    else if (/^>\s?/.test(line)) {
      const words = [];
      while (at < lines.length && /^>\s?/.test(lines[at])) words.push(lines[at++].replace(/^>\s?/, ''));
      nodes.push(h('blockquote', {}, inline(words.join(' '))));
    } else paragraph();
  }
  return nodes;
}
