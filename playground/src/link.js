// Text and options in the fragment of a link, which browsers send to no host. tools/site/fragment.py writes the same.
const LIMIT = 1 << 20; // bytes of text; a longer one is no job
const FIELDS = ["backend", "kubernetes", "namespace", "set", "view"];
const TEXTS = ["text", "old"];

async function pipe(bytes, transform, limit = Infinity) {
  const reader = new Blob([bytes]).stream().pipeThrough(transform).getReader();
  const chunks = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(chunks).arrayBuffer());
    size += value.length;
    if (size > limit) {
      await reader.cancel();
      throw new Error("the text of the link is too long");
    }
    chunks.push(value);
  }
}

function toBase64(bytes) {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function fromBase64(text) {
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (each) => each.charCodeAt(0));
}

/** Return the fragment of a state. */
export async function encode(state) {
  const parameters = new URLSearchParams();
  for (const name of TEXTS) {
    if (!state[name]) continue;
    const bytes = await pipe(new TextEncoder().encode(state[name]), new CompressionStream("deflate-raw"));
    parameters.set(name, toBase64(bytes));
  }
  for (const name of FIELDS) if (state[name]) parameters.set(name, state[name]);
  return `#${parameters}`;
}

/** Return the state of a fragment. Throws an Error for a damaged one. */
export async function decode(fragment) {
  const parameters = new URLSearchParams(fragment.replace(/^#/, ""));
  const state = {};
  for (const name of FIELDS) if (parameters.has(name)) state[name] = parameters.get(name).slice(0, 2000);
  for (const name of TEXTS) {
    if (!parameters.has(name)) continue;
    const bytes = await pipe(fromBase64(parameters.get(name)), new DecompressionStream("deflate-raw"), LIMIT);
    state[name] = new TextDecoder().decode(bytes);
  }
  return state;
}
