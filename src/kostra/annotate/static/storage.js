// What the browser keeps for one annotator, under their own name: two people at one computer never mix.
// Where the browser keeps nothing (private windows, full disks), it is kept as long as the page is open.

const memory = new Map();

export class Storage {
  constructor(owner) {
    this.owner = owner;
  }

  read(name, otherwise = null) {
    const key = this.#key(name);
    try {
      const found = localStorage.getItem(key);
      if (found !== null) return JSON.parse(found);
    } catch {
      // unreadable is as good as absent
    }
    return memory.get(key) ?? otherwise;
  }

  write(name, value) {
    const key = this.#key(name);
    memory.set(key, value);
    try {
      localStorage.setItem(key, JSON.stringify(value));
    } catch {
      // memory has it
    }
  }

  remove(name) {
    const key = this.#key(name);
    memory.delete(key);
    try {
      localStorage.removeItem(key);
    } catch {
      // nothing was there
    }
  }

  #key(name) {
    return `kostra:${this.owner}:${name}`;
  }
}
