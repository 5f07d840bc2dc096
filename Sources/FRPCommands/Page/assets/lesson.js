// A lesson: its text, and each of its programs in a frame of its own, which is there while somebody is near it.
import { h, setText, toggleClass } from './base.js';
import { openLink } from './link.js';
import { markdownNodes } from './markdown.js';
import { codeLines } from './editor.js';

/** So many programs are in frames at once: those nearest to what is read. */
const mostFrames = 8;

let chapters = [];
let told = null;
let shown = 0;
let refused = '';
const frames = new Map();

const state = h('span', { class: 'link-state', role: 'status' });
const nav = h('nav', { class: 'chapters', 'aria-label': 'chapters' });
const bar = h('header', { class: 'lesson-bar' }, h('span', { class: 'logo', 'aria-hidden': 'true' }, 'frp'), nav, state);
const article = h('main', { class: 'lesson' });

// Programs.

function putAway(box) {
  const one = frames.get(box);
  if (!one) return;
  // What is below stays where it is.
  box.style.minHeight = `${box.offsetHeight}px`;
  one.watch.disconnect();
  one.frame.remove();
  frames.delete(box);
  toggleClass(box, 'is-here', false);
}

const distanceOf = (box) => {
  const { top, bottom } = box.getBoundingClientRect();
  return Math.max(top - innerHeight, -bottom, 0);
};

function bring(box) {
  if (frames.has(box)) return;
  if (frames.size >= mostFrames) {
    const farthest = [...frames.keys()].sort((a, b) => distanceOf(b) - distanceOf(a))[0];
    if (farthest.contains(document.activeElement) || distanceOf(farthest) <= distanceOf(box)) return;
    putAway(farthest);
  }
  const { number } = box;
  const frame = h('iframe', { src: `program?program=${number}${location.hash}`, title: `program ${number + 1}` });
  const fit = () => {
    const { body } = frame.contentDocument;
    if (!body.classList.contains('is-ready')) return;
    frame.style.height = `${Math.ceil(body.getBoundingClientRect().height)}px`;
    box.style.minHeight = '0';
    toggleClass(box, 'is-here', true);
  };
  const watch = new ResizeObserver(fit);
  frames.set(box, { frame, watch });
  box.append(frame);
  frame.addEventListener('load', () => {
    if (!frame.contentDocument || !frames.has(box)) return;
    watch.observe(frame.contentDocument.body);
  });
}

const near = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    target.isNear = isIntersecting;
    if (isIntersecting) bring(target);
  }
}, { rootMargin: '500px 0px' });

function programBox({ program, text }) {
  const box = h('section', { class: 'program', 'aria-label': `program ${program + 1}` }, h('pre', { class: 'code' }, codeLines(text)));
  box.number = program;
  near.observe(box);
  return box;
}

// Chapters.

const addressOf = (index) => `?chapter=${index + 1}${location.hash}`;

function chapterLink(index, words, className) {
  return h('a', { href: addressOf(index), class: className, 'aria-current': index === shown ? 'page' : null, onclick: (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    history.pushState(null, '', addressOf(index));
    show(index);
    scrollTo(0, 0);
  } }, words);
}

/** Links to the files of other chapters lead to these. */
function linkOf(address, words) {
  const name = address.split('#')[0].split('/').at(-1);
  const index = chapters.findIndex((one) => one.name === name);
  return index < 0 ? null : chapterLink(index, words, '');
}

function show(index) {
  shown = index;
  for (const box of [...frames.keys()]) putAway(box);
  near.disconnect();
  const { title, parts } = chapters[index];
  document.title = `${title} · frp`;
  nav.replaceChildren(...(chapters.length > 1 ? chapters.map((one, other) => chapterLink(other, one.title, 'chapter-link')) : [h('span', { class: 'lesson-title' }, title)]));
  const way = [index > 0 && chapterLink(index - 1, `← ${chapters[index - 1].title}`, ''), h('span'), index + 1 < chapters.length && chapterLink(index + 1, `${chapters[index + 1].title} →`, '')];
  article.replaceChildren(...parts.map((part) => (part.program === undefined ? h('div', { class: 'part-markdown lesson-text' }, markdownNodes(part.text, { linkOf, top: 1 })) : programBox(part))),
    ...(chapters.length > 1 ? [h('nav', { class: 'lesson-way', 'aria-label': 'next and last chapter' }, way)] : []));
}

const chapterOfAddress = () => Math.min(Math.max(1, Number(new URLSearchParams(location.search).get('chapter')) || 1), chapters.length) - 1;

function answerLesson(message) {
  const text = JSON.stringify(message.chapters);
  if (text === told) return;
  told = text;
  chapters = message.chapters;
  if (!bar.isConnected) document.body.replaceChildren(bar, article);
  show(chapterOfAddress());
  document.body.classList.add('is-read');
}

addEventListener('popstate', () => chapters.length && show(chapterOfAddress()));
openLink((message) => {
  if (message.is === 'lesson') answerLesson(message);
  if (message.is === 'refused') refused = message.why;
  if (refused && !chapters.length) document.body.replaceChildren(h('main', { class: 'notice' }, h('h1', {}, 'This page is not let in'), h('p', {}, refused)));
}, (isConnected) => setText(state, refused || (isConnected ? '' : 'reconnecting…')));
