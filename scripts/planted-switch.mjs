// Which planted bug is in, where one bundle holds many. Each function that a file with bugs exports asks here at each call,
// so that what one bug has warmed up serves the next: cold code was most of the time of a bug.

let active = 0;
let isLoading = true;

/**
 * Bugs that calls cannot tell apart, as where lists differ in length, or where what a file asked while it loaded is kept: each
 * needs a bundle of its own.
 */
const unfit = new Set();

/** The bug of this number is in from now on; 0: none. */
export function plant(bug) {
  isLoading = false;
  active = bug;
}

export function plantedBug() {
  return active;
}

export function needsItsOwnBundle(bug) {
  return unfit.has(bug);
}

/** What a file exports, by calls of the bug that is in. `bugs`: the exports of the same file with each of them. */
export function switched(sound, bugs) {
  const [names, others] = [Object.keys(sound), [...bugs.values()].map(Object.keys)];
  if (others.some((keys) => keys.length !== names.length))
    throw new Error(`a planted bug exports other than ${names.join(', ')}`);
  return entriesOf(sound, bugs, names);
}

function valueOf(sound, bugs) {
  if (isClass(sound)) return withoutBugs(sound, bugs);
  if (typeof sound === 'function')
    return (...args) => {
      if (isLoading) withoutBugs(sound, bugs);
      return (bugs.get(active) ?? sound)(...args);
    };
  if (isPlain(sound)) return ofObject(sound, bugs);
  return withoutBugs(sound, new Map([...bugs].filter(([, value]) => value !== sound)));
}

/** A new list or object only where something in it may be called: others are compared by what they are. */
function ofObject(sound, bugs) {
  const keys = Object.keys(sound);
  const alike = [...bugs].filter(([, value]) => isPlain(value) && Object.keys(value).join() === keys.join());
  withoutBugs(sound, new Map([...bugs].filter(([bug]) => !alike.some(([one]) => one === bug))));
  const made = entriesOf(sound, new Map(alike), keys);
  if (keys.every((key) => made[key] === sound[key])) return sound;
  return Array.isArray(sound) ? Object.values(made) : made;
}

function entriesOf(sound, bugs, keys) {
  return Object.fromEntries(
    keys.map((key) => [key, valueOf(sound[key], new Map([...bugs].map(([bug, value]) => [bug, value[key]])))]),
  );
}

function withoutBugs(sound, bugs) {
  for (const bug of bugs.keys()) unfit.add(bug);
  return sound;
}

function isClass(value) {
  return typeof value === 'function' && /^class\b/.test(Function.prototype.toString.call(value));
}

function isPlain(value) {
  return Array.isArray(value) || Object.prototype.toString.call(value) === '[object Object]';
}
