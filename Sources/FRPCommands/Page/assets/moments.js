// Which moment is looked at: asked for, played, gone to step by step.
import { clamp } from './base.js';
import { schedule, shownTime, store, takePast } from './store.js';
import { isRecording } from './link.js';

/** `send` tells the server, `entered` is called when the past is first shown, `backToNow` leaves it. */
export function makeMoments({ send, entered, backToNow }) {
  // One question at a time, and of those that wait the newest.
  const seeker = { isWanted: false, isAsked: false, next: null };

  function seek(t) {
    if (store.rewritten) {
      store.rewritten.t = clamp(t, store.rewritten.at, store.rewritten.until);
      store.rewritten.isPlaying = false;
      schedule();
      return;
    }
    seeker.isWanted = true;
    if (seeker.isAsked) seeker.next = t;
    else seeker.isAsked = send({ do: 'seek', to: t });
  }

  function answer(message) {
    seeker.isAsked = false;
    if (!seeker.isWanted || store.rewritten) return;
    const isFirst = !store.past;
    takePast(message);
    const next = seeker.next;
    seeker.next = null;
    if (next !== null) seek(next);
    if (isFirst) entered();
  }

  /** A moment that somebody has chosen. */
  function lookAt(t) {
    store.isPastPlaying = false;
    seek(t);
  }

  /** Play and pause: of the run, of the past, or of two pasts side by side. */
  function toggle() {
    const { rewritten } = store;
    if (rewritten) {
      if (rewritten.isPlaying) rewritten.isPlaying = false;
      else playBoth(rewritten);
    } else if (store.past && !isRecording) {
      store.isPastPlaying = !store.isPastPlaying;
      if (store.isPastPlaying) playPast(performance.now(), shownTime());
    } else send({ do: store.paused ? 'resume' : 'pause' });
    schedule();
  }

  /** The past goes on from the moment that is looked at until it is the present. */
  function playPast(before, t) {
    requestAnimationFrame((now) => {
      if (!store.isPastPlaying || !store.past || store.rewritten) return;
      const next = t + ((now - before) / 1000) * store.pastSpeed;
      if (next >= store.t) {
        backToNow();
        return;
      }
      seek(next);
      playPast(now, next);
    });
  }

  function playBoth(rewritten) {
    if (rewritten.t >= rewritten.until) rewritten.t = rewritten.at;
    rewritten.isPlaying = true;
    requestAnimationFrame((now) => playOn(rewritten, now));
  }

  function playOn(rewritten, before) {
    requestAnimationFrame((now) => {
      if (store.rewritten !== rewritten || !rewritten.isPlaying) return;
      rewritten.t = Math.min(rewritten.until, rewritten.t + ((now - before) / 1000) * store.pastSpeed);
      if (rewritten.t >= rewritten.until) rewritten.isPlaying = false;
      schedule();
      playOn(rewritten, now);
    });
  }

  function nudge(seconds) {
    const t = store.rewritten ? shownTime() : seeker.next ?? shownTime();
    // From 2.95 to 3, not to 3.05: whole steps can be told to somebody.
    const grid = Math.abs(seconds);
    const next = clamp((Math.round(t / grid) + Math.sign(seconds)) * grid, 0, store.t);
    if (!store.rewritten && !isRecording && store.past && next >= store.t) backToNow();
    else lookAt(next);
  }

  return {
    answer, lookAt, toggle, playBoth, nudge,
    /** Nothing of the past is wanted any more; what comes of it is passed over. */
    leave() {
      seeker.isWanted = false;
      seeker.next = null;
    },
    /** The server has another run: the moment that is looked at is asked for again. */
    renew() {
      if (seeker.isWanted && store.past && !store.rewritten && !seeker.isAsked) seek(store.past.t);
    },
    /** An answer that was waited for will not come. */
    disconnected() {
      seeker.isAsked = false;
    },
  };
}
