"""The technician's page: one HTML file with its own style and script, nothing fetched from anywhere else.

Only what is on the screen is asked for: on a phone one picture at a time, nothing while the page is in the background.
"""

from __future__ import annotations

from typing import Final

STYLE: Final = """
* { box-sizing: border-box }
html { color-scheme: dark; -webkit-text-size-adjust: 100% }
body { margin: 0; background: #14161a; color: #e8e6e0; font: 17px/1.4 system-ui, sans-serif }
button { min-height: 48px; padding: .3rem .9rem; border: 0; border-radius: .5rem; font-size: 1rem }
header { position: sticky; top: 0; z-index: 1; padding: .6rem .8rem; background: #3a3f47 }
header b { display: block; font-size: 1.35rem; line-height: 1.2 }
header span { display: block; font-size: .95rem; min-height: 1.4em }
header.settled { background: #1f5d3a }
header.hand_in { background: #7a5312 }
header.waiting { background: #2d4f7c }
header.cannot_see, header.lost, header.gone { background: #8a1f1f }
nav { display: flex; gap: .3rem; padding: .5rem .5rem 0 }
nav button { flex: 1; padding: .2rem; color: #e8e6e0; background: #2a2e35 }
nav button[aria-pressed=true] { color: #14161a; background: #e8e6e0 }
main { display: grid; gap: .5rem; padding: .5rem }
figure { margin: 0; background: #1d2026; border-radius: .5rem; overflow: hidden; display: none }
figure.on { display: block }
figure img { display: block; width: 100%; min-height: 40vw; object-fit: contain; background: #0b0c0e }
img:not([src]) { visibility: hidden }
figcaption { display: flex; align-items: center; gap: .6rem; padding: .5rem .6rem; min-height: 64px }
figcaption span { flex: 1; font-size: .9rem }
figcaption button { color: #14161a; background: #ffc842 }
figcaption button:disabled { opacity: .5 }
#ails { margin: 0; padding: .5rem .8rem 0; color: #ff9d8a; overflow-wrap: anywhere }
#ails:empty { display: none }
#said { margin: 0; padding: 0 .8rem; min-height: 1.4em; color: #ffd97a; overflow-wrap: anywhere }
ul { list-style: none; margin: 0; padding: .3rem .8rem 2rem; display: flex; flex-wrap: wrap; gap: .4rem }
li { background: #2a2e35; border-radius: .4rem; padding: .25rem .6rem }
li.doubt { background: #6b2f2f }
@media (min-width: 1000px) {
  nav { display: none }
  main { grid-template-columns: 1fr 1fr }
  figure { display: block }
  figure img { min-height: 0; height: 36vh }
}
"""

SCRIPT: Final = """
'use strict';
const WORDS = {
  settled: 'All still', hand_in: 'A hand is in', waiting: 'Waiting until all lies still',
  cannot_see: 'Cannot see', lost: 'No picture from the camera', gone: 'No answer from Gameline',
};
const SIDES = ['the bottom', 'the left', 'the top', 'the right'];
const NOTHING = {standing: 'gone', why: '', frame: null, read: null, table: true, ails: [], dominoes: []};
const isWide = matchMedia('(min-width: 1000px)');
const figures = [...document.querySelectorAll('figure')];
const tabs = [...document.querySelectorAll('nav button')];
const byId = id => document.getElementById(id);
const seconds = ms => (ms / 1000).toFixed(1) + ' s';
let chosen = 'raw', missed = 0, seen = {};

function choose(kind) {
  chosen = kind;
  for (const figure of figures) figure.classList.toggle('on', figure.dataset.kind === kind);
  for (const tab of tabs) tab.setAttribute('aria-pressed', tab.dataset.kind === kind);
}

function details(state) {
  if (state.why) return state.why;
  if (state.standing === 'hand_in' && state.side !== null) {
    return state.table ? 'from seat ' + state.side : 'from ' + SIDES[state.side] + ' of the picture';
  }
  if (state.standing !== 'settled') return '';
  const count = state.dominoes.length;
  return 'for ' + seconds(state.still_ms) + ', ' + count + (count === 1 ? ' domino' : ' dominoes') + ' read';
}

function caption(kind, state) {
  if (kind === 'dominoes') return state.read === null ? 'nothing read yet' : 'frame ' + state.read + ', as it was read';
  if (kind === 'table' && !state.table) return 'where the table lies is not known: run gameline calibrate';
  return state.frame === null ? 'no frame yet' : 'frame ' + state.frame + ', ' + seconds(state.age_ms) + ' old';
}

function chip(domino) {
  const li = document.createElement('li'), small = document.createElement('small');
  li.textContent = (domino.a ?? '?') + '-' + (domino.b ?? '?') + ' ';
  small.textContent = domino.confidence.map(sure => Math.round(100 * sure) + '%').join(' ');
  li.append(small);
  if (Math.min(...domino.confidence) < 0.8) li.className = 'doubt';
  return li;
}

function tell(state) {
  byId('head').className = state.standing;
  byId('word').textContent = WORDS[state.standing];
  byId('more').textContent = details(state);
  for (const figure of figures) {
    const kind = figure.dataset.kind;
    figure.querySelector('span').textContent = caption(kind, state);
    figure.querySelector('button').hidden = kind === 'table' && !state.table;
  }
  byId('ails').textContent = state.ails.join('; ');
  byId('list').replaceChildren(...state.dominoes.map(chip));
}

async function ask(url, options) {
  const stop = new AbortController(), timer = setTimeout(() => stop.abort(), 6000);
  try {
    return await fetch(url, {cache: 'no-store', signal: stop.signal, ...options});
  } finally {
    clearTimeout(timer);
  }
}

async function show(figure, state) {
  const kind = figure.dataset.kind, number = kind === 'dominoes' ? state.read : state.frame;
  if (number === null || seen[kind] === number) return;
  const answer = await ask('picture/' + kind + '.jpg');
  if (!answer.ok) return;
  const image = figure.querySelector('img'), url = URL.createObjectURL(await answer.blob());
  image.onload = image.onerror = () => URL.revokeObjectURL(url);
  image.src = url;
  seen[kind] = number;
}

async function round() {
  const answer = await ask('state');
  if (!answer.ok) throw new Error(answer.status);
  const state = await answer.json();
  missed = 0;
  tell(state);
  for (const figure of figures) if (isWide.matches || figure.dataset.kind === chosen) await show(figure, state);
}

async function loop() {
  for (;;) {
    try {
      if (!document.hidden) await round();
    } catch {
      missed += 1;
      seen = {};
      if (missed > 1) tell(NOTHING);
    }
    await new Promise(done => setTimeout(done, missed ? 1000 : 250));
  }
}

async function save(figure, button) {
  const said = byId('said');
  button.disabled = true;
  said.textContent = 'saving ...';
  try {
    said.textContent = (await (await ask('save/' + figure.dataset.kind, {method: 'POST'})).json()).said;
  } catch {
    said.textContent = 'no answer: it may not be saved';
  }
  button.disabled = false;
}

for (const tab of tabs) tab.onclick = () => choose(tab.dataset.kind);
for (const figure of figures) {
  const button = figure.querySelector('button');
  button.onclick = () => save(figure, button);
}
choose('raw');
loop();
"""

_TABS: Final = (("raw", "Camera"), ("table", "Table"), ("change", "Change"), ("dominoes", "Dominoes"))


def page(title: str, nonce: str) -> str:
    """The whole page; style and script carry the nonce that the answer's policy allows.

    Args:
        title: plain ASCII letters, digits, - and _ and blanks: it is not escaped.
        nonce: the same.
    """
    tabs = "".join(f'<button data-kind="{kind}" aria-pressed="false">{name}</button>' for kind, name in _TABS)
    figures = "".join(
        f'<figure data-kind="{kind}"><img alt="{name}"><figcaption><span></span>'
        f"<button>Save as a test case</button></figcaption></figure>"
        for kind, name in _TABS
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f'<title>{title}</title><link rel="icon" href="data:,"><style nonce="{nonce}">{STYLE}</style></head><body>'
        '<header id="head" class="gone" role="status"><b id="word">...</b><span id="more"></span></header>'
        f'<p id="ails" role="status"></p>'
        f"<nav>{tabs}</nav><main>{figures}</main>"
        '<p id="said" role="status"></p><ul id="list" aria-label="dominoes read, the most doubtful first"></ul>'
        f'<script nonce="{nonce}">{SCRIPT}</script></body></html>'
    )
