// The WebSocket to the server, or a recording in this file that answers like one.
import { readJSON, writeJSON } from './base.js';
import { seriesOfPairs, valueAt } from './store.js';

const recordingElement = document.getElementById('recording');

/** Whether this is a shared file: there is no server. */
export const isRecording = !!recordingElement;

const programNumber = isRecording ? null : new URLSearchParams(location.search).get('program');

/** Whether this is a program of a lesson, in a frame of its page. */
export const isEmbedded = programNumber !== null;

/** A link says what came by `receive(message)`, and by `changed(isConnected)` whether there is one. */
export function openLink(receive, changed) {
  return isRecording ? recordedLink(readJSON(recordingElement.textContent), receive, changed) : socketLink(receive, changed);
}

function socketLink(receive, changed) {
  const token = location.hash.slice(1);
  const address = `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/socket`;
  let socket = null;
  let wait = 250;
  let isRefused = false;

  function connect() {
    socket = new WebSocket(address);
    socket.onopen = () => {
      socket.send(JSON.stringify({ do: 'hello', token, draws: true, program: isEmbedded ? Number(programNumber) : undefined }));
      wait = 250;
      changed(true);
    };
    socket.onmessage = (event) => {
      let message;
      try {
        message = readJSON(event.data);
      } catch (error) {
        message = { is: 'said', text: `a message cannot be read: ${error.message}` };
      }
      if (message.is === 'refused') isRefused = true;
      receive(message);
    };
    socket.onclose = () => {
      changed(false);
      if (isRefused) return;
      setTimeout(connect, wait * (0.75 + Math.random() / 2));
      wait = Math.min(wait * 2, 8000);
    };
  }
  connect();
  return {
    /** Whether it was sent. */
    send(message) {
      if (!socket || socket.readyState !== WebSocket.OPEN) return false;
      socket.send(writeJSON(message));
      return true;
    },
  };
}

function recordedLink(recording, receive, changed) {
  const series = new Map();
  for (const frame of recording.frames) {
    for (const name in frame.values) {
      if (!series.has(name)) series.set(name, []);
      series.get(name).push([frame.t, frame.values[name]]);
    }
  }
  for (const [name, pairs] of series) series.set(name, seriesOfPairs(pairs));
  const events = Object.entries(recording.events || {}).flatMap(([name, pairs]) => pairs.map(([t, value]) => [name, t, value]));
  const duration = recording.duration;
  let playing = null;
  let speed = 1;
  let at = duration;

  function valuesAt(t) {
    const values = {};
    for (const [name, one] of series) {
      const value = valueAt(one, t);
      if (value !== undefined) values[name] = value;
    }
    return values;
  }

  function show(t) {
    at = t;
    receive({ is: 'past', t, values: valuesAt(t), events });
  }

  function play() {
    let last = performance.now();
    if (at >= duration) at = 0;
    const tick = (now) => {
      if (!playing) return;
      const t = Math.min(duration, at + ((now - last) / 1000) * speed);
      last = now;
      show(t);
      if (t >= duration) stop();
      else playing = requestAnimationFrame(tick);
    };
    playing = requestAnimationFrame(tick);
    receive({ is: 'playing', paused: false, speed });
  }

  function stop() {
    cancelAnimationFrame(playing);
    playing = null;
    receive({ is: 'playing', paused: true, speed });
  }

  queueMicrotask(() => {
    changed(true);
    receive({ is: 'program', ...recording.program, isViewer: true });
    receive({
      is: 'history', until: duration, events: recording.events || {},
      values: Object.fromEntries([...series].map(([name, one]) => [name, one.t.map((t, index) => [t, one.v[index]])])),
    });
    receive({ is: 'frame', t: duration, paused: true, speed: 1, values: valuesAt(duration), events: [] });
    show(duration);
  });
  const actions = {
    seek: (message) => show(message.to),
    resume: play,
    pause: stop,
    step: () => show(Math.min(duration, at + 1 / 60)),
    restart: () => show(0),
    speed: (message) => {
      speed = message.speed;
      receive({ is: 'playing', paused: !playing, speed });
    },
  };
  return {
    send(message) {
      if (actions[message.do]) queueMicrotask(() => actions[message.do](message));
      return true;
    },
  };
}
