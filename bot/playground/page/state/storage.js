// What this browser remembers between visits, if it may.

export function remembered(name, otherwise) {
  try {
    return JSON.parse(localStorage.getItem(name)) ?? otherwise;
  } catch {
    return otherwise; // storage may be forbidden, or hold something else
  }
}

export function keep(name, value) {
  try {
    localStorage.setItem(name, JSON.stringify(value));
  } catch {
    // the page works without a memory
  }
}

export function forget(name) {
  try {
    localStorage.removeItem(name);
  } catch {
    // there was nothing
  }
}
