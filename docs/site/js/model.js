// What anywidget gives an explorer's script, without a kernel: traits, and a brain that answers what is saved.

// Bytes are stored as {"__bytes__": base64}; scripts get them as DataViews, as from a kernel.
export function revive(value) {
  if (Array.isArray(value)) return value.map(revive);
  if (value === null || typeof value !== "object") return value;
  if (typeof value.__bytes__ === "string") {
    const bytes = Uint8Array.from(atob(value.__bytes__), (sign) => sign.charCodeAt(0));
    return new DataView(bytes.buffer);
  }
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, revive(inner)]));
}

export class Model {
  #traits;
  #brain = null; // a promise of what answers, asked for when the page first saves something
  #makeBrain;
  #handlers = new Map();
  #changed = new Set();
  #waiting = null; // what was saved while the brain was busy: the last value of each trait
  #busy = false;

  // makeBrain() -> brain or a promise of one; null where the page computes everything itself.
  constructor(traits, makeBrain = null) {
    this.#traits = traits;
    this.#makeBrain = makeBrain;
  }

  get(name) {
    return this.#traits[name];
  }

  set(name, value) {
    if (typeof name === "object") {
      for (const [each, inner] of Object.entries(name)) this.set(each, inner);
      return;
    }
    if (Object.is(this.#traits[name], value)) return;
    this.#traits[name] = value;
    this.#changed.add(name);
    this.#tell(name);
  }

  save_changes() {
    const news = Object.fromEntries([...this.#changed].map((name) => [name, this.#traits[name]]));
    this.#changed.clear();
    if (!this.#makeBrain || !Object.keys(news).length) return;
    this.#waiting = { ...this.#waiting, ...news };
    if (!this.#busy) this.#answer();
  }

  // Make the brain, before anything is saved.
  prepare() {
    this.#waiting ??= {};
    if (!this.#busy) this.#answer();
  }

  send() {} // no explorer of the course sends messages besides its traits

  on(event, handler) {
    if (!this.#handlers.has(event)) this.#handlers.set(event, []);
    this.#handlers.get(event).push(handler);
  }

  off(event, handler) {
    this.#handlers.set(event, (this.#handlers.get(event) ?? []).filter((other) => other !== handler));
  }

  // What a kernel would send: no brain hears of it.
  receive(values) {
    Object.assign(this.#traits, values);
    for (const name of Object.keys(values)) this.#tell(name);
  }

  get idle() {
    return !this.#busy;
  }

  async close() {
    const brain = this.#brain;
    [this.#brain, this.#waiting] = [null, null];
    (await brain)?.close?.();
  }

  #tell(name) {
    for (const handler of this.#handlers.get(`change:${name}`) ?? []) handler();
  }

  async #answer() {
    this.#busy = true;
    try {
      while (this.#waiting) {
        const brain = await (this.#brain ??= this.#makeBrain());
        const news = this.#waiting ?? {}; // what was saved while the brain was made counts, too
        this.#waiting = null;
        this.receive(await brain.receive(news, { ...this.#traits }, (values) => this.receive(values)));
      }
    } catch (error) {
      this.#brain = null; // the next message tries again
      this.failed?.(error);
    } finally {
      this.#busy = false;
    }
  }
}
