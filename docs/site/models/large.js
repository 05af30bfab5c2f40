// Files too large to come unasked, such as the weights of a language model: the reader is asked first, sees how far it is,
// and the browser keeps them. A file is {file, bytes, title}; its name holds a mark of its content, "minilm-0f46.bin".
// What is cut into several files has its title in each.

const megabytes = (bytes) => `${Math.max(1, Math.round(bytes / 1e6))} MB`;
const listed = (words) => [words.slice(0, -1).join(", "), words.at(-1)].filter(Boolean).join(" and ");
const unmarked = (address) => address.replace(/-[^-]*$/, "");

// "MiniLM and the speeches (53 MB)"
export function inWords(files) {
  return `${listed([...new Set(files.map(({ title }) => title))])} (${megabytes(files.reduce((sum, { bytes }) => sum + bytes, 0))})`;
}

// Where the browser keeps files, or null: pages without https have no such place, and others may not be allowed one.
async function storage() {
  try {
    return (await globalThis.caches?.open("tl-large")) ?? null;
  } catch {
    return null;
  }
}

// Those of the files that the browser does not have yet.
export async function missing({ base }, files) {
  const store = await storage();
  const kept = await Promise.all(files.map(({ file }) => store?.match(base + file)));
  return files.filter((_, i) => !kept[i]);
}

// The files as ArrayBuffers. context: what a brain is given; its `ask` is kept when the reader has agreed.
export async function large(context, ...files) {
  const wanted = await missing(context, files);
  if (wanted.length) await context.ask(wanted);
  const store = await storage();
  const arrived = progress(context, wanted);
  const buffers = [];
  for (const one of files) {
    const address = context.base + one.file;
    const kept = await store?.match(address);
    if (kept) context.busy(`Reading ${one.title}, ${megabytes(one.bytes)}, kept from before ...`);
    buffers.push(kept ? await kept.arrayBuffer() : await fetched(context, one, arrived));
    if (!kept) await keep(store, address, buffers.at(-1));
  }
  context.busy(null);
  return buffers;
}

// Says how much of all the files has arrived, in steps: a screen reader says each.
function progress({ busy }, files) {
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  let [at, said] = [0, null];
  return (bytes) => {
    at += bytes;
    const share = 5 * Math.floor((20 * at) / total);
    if (share !== said) busy(`${inWords(files)}: ${share} %`);
    said = share;
  };
}

async function fetched({ base }, { file, bytes }, arrived) {
  const answer = await fetch(base + file);
  if (!answer.ok) throw new Error(`${file}: ${answer.status}`);
  const whole = new Uint8Array(bytes);
  const reader = answer.body.getReader();
  let at = 0;
  for (let part = {}; !part.done; part = await reader.read()) {
    const some = part.value ?? new Uint8Array(0);
    whole.set(some, at);
    at += some.length;
    arrived(some.length);
  }
  if (at !== bytes) throw new Error(`${file} ended early`);
  return whole.buffer;
}

// Keep a file in place of its older versions; where there is no room, the next visit fetches it again.
async function keep(store, address, buffer) {
  try {
    for (const { url } of (await store?.keys()) ?? []) if (unmarked(url) === unmarked(address)) await store.delete(url);
    await store?.put(address, new Response(buffer));
  } catch (error) {
    console.warn(error);
  }
}
