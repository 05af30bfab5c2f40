// What Python does in its own way and the brains have to repeat: text, rounding, random numbers.

// text[:limit] in characters, each half of a surrogate pair replaced (tokenizers/vocabulary.py).
export function clean(text, limit) {
  return [...String(text ?? "")].slice(0, limit).join("").replace(/\p{Cs}/gu, "\ufffd");
}

// What Python takes for white space, inside the [] of a pattern.
export const BLANK = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";

// str.split()
export function words(text) {
  return text.split(new RegExp(`[${BLANK}]+`, "u")).filter(Boolean);
}

// round(): halves go to the even neighbour.
export function round(x) {
  const low = Math.floor(x);
  if (x - low !== 0.5) return Math.round(x);
  return low % 2 ? low + 1 : low;
}

export const within = (x, low, high) => Math.min(Math.max(x, low), high);

// The Mersenne Twister of Python's `random` and of PyTorch's CPU generator.
export class Twister {
  #state = new Uint32Array(624);
  #at = 624;

  // PyTorch: the low 32 bits of the seed.
  static torch(seed) {
    const twister = new Twister();
    twister.#fill(seed >>> 0);
    return twister;
  }

  // random.Random(seed) for a whole number below 2 ** 53: its 32-bit parts are mixed in.
  static python(seed) {
    const size = Math.abs(seed);
    const key = size >= 2 ** 32 ? [size % 2 ** 32, Math.floor(size / 2 ** 32)] : [size];
    const twister = new Twister();
    twister.#fill(19650218);
    const s = twister.#state;
    let [i, j] = [1, 0];
    const mixed = (factor) => Math.imul(s[i - 1] ^ (s[i - 1] >>> 30), factor);
    const next = () => {
      i += 1;
      if (i < 624) return;
      s[0] = s[623];
      i = 1;
    };
    for (let n = 0; n < 624; n++) {
      s[i] = (s[i] ^ mixed(1664525)) + key[j] + j;
      j = (j + 1) % key.length;
      next();
    }
    for (let n = 0; n < 623; n++) {
      s[i] = (s[i] ^ mixed(1566083941)) - i;
      next();
    }
    s[0] = 0x80000000;
    return twister;
  }

  #fill(seed) {
    const s = this.#state;
    s[0] = seed;
    for (let i = 1; i < 624; i++) s[i] = Math.imul(1812433253, s[i - 1] ^ (s[i - 1] >>> 30)) + i;
  }

  // 32 random bits.
  next() {
    const s = this.#state;
    if (this.#at === 624) {
      for (let i = 0; i < 624; i++) {
        const y = (s[i] & 0x80000000) | (s[(i + 1) % 624] & 0x7fffffff);
        s[i] = s[(i + 397) % 624] ^ (y >>> 1) ^ (y & 1 ? 0x9908b0df : 0);
      }
      this.#at = 0;
    }
    let y = s[this.#at++];
    y ^= y >>> 11;
    y ^= (y << 7) & 0x9d2c5680;
    y ^= (y << 15) & 0xefc60000;
    return (y ^ (y >>> 18)) >>> 0;
  }

  // Python: random()
  random() {
    const [a, b] = [this.next() >>> 5, this.next() >>> 6];
    return (a * 67108864 + b) / 9007199254740992;
  }

  // Python: randrange(n)
  below(n) {
    const bits = n.toString(2).length;
    let drawn = n;
    while (drawn >= n) drawn = this.next() >>> (32 - bits);
    return drawn;
  }

  // Python: sample(population, k)
  sample(population, k) {
    const n = population.length;
    const chosen = [];
    const limit = 21 + (k > 5 ? 4 ** Math.ceil(Math.log(k * 3) / Math.log(4)) : 0);
    if (n <= limit) {
      const pool = [...population];
      for (let i = 0; i < k; i++) {
        const at = this.below(n - i);
        chosen.push(pool[at]);
        pool[at] = pool[n - i - 1];
      }
      return chosen;
    }
    const seen = new Set();
    while (chosen.length < k) {
      const at = this.below(n);
      if (seen.has(at)) continue;
      seen.add(at);
      chosen.push(population[at]);
    }
    return chosen;
  }

  // PyTorch: one number of torch.rand in float32
  rand() {
    return (this.next() & 0xffffff) / 0x1000000;
  }
}

export const range = (start, end) => Array.from({ length: Math.max(0, end - start) }, (_, i) => start + i);

// A brain that answers requests as an AskingExplorer does: {number, text, ...} with {number, ...}; answer may be async.
export function answering(limit, answer) {
  return {
    async receive({ request }) {
      if (!request) return {};
      const { number = 0, text, ...rest } = request;
      try {
        return { reply: { number, ...(await answer({ text: clean(text, limit), ...rest })) } };
      } catch (error) {
        return { reply: { number, error: `${error.name}: ${error.message}` } };
      }
    },
  };
}
