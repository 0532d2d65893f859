// The page: editor, options, views and link.
import { Compiler } from "./compiler.js";
import { show } from "./diagnostics.js";
import { createEditor, setText } from "./editor.js";
import { decode, encode } from "./link.js";

const DAMAGED = "# The link is damaged: its text cannot be read.\n";
const DELAY = 150; // ms after a key before the text is checked
const element = (id) => document.getElementById(id);
const tabs = [...document.querySelectorAll("[role=tab]")];
const views = tabs.map((tab) => tab.dataset.view);
const fields = ["backend", "kubernetes", "namespace", "set"];
let view = "manifests";
let timer;
let isStored = false;

const editor = createEditor(element("editor"), "Job file or launch command", changed);
const old = createEditor(element("old"), "Old version", changed);
const compiler = new Compiler(answered, (text) => (element("state").textContent = text));

function state() {
  const values = Object.fromEntries(fields.map((name) => [name, element(name).value.trim()]));
  return { text: editor.state.doc.toString(), old: old.state.doc.toString(), view, ...values };
}

function changed() {
  clearTimeout(timer);
  timer = setTimeout(check, DELAY);
}

function check() {
  const request = state();
  if (request.view === "diff" && !request.old) request.old = request.text;
  compiler.send(request);
}

/** Store the page for use without its host, once the first answer is there: the same files are loaded again. */
function store() {
  if (isStored || !("serviceWorker" in navigator)) return;
  isStored = true;
  navigator.serviceWorker.register("offline.js").then(
    () => navigator.serviceWorker.ready.then(() => (document.body.dataset.offline = "ready")),
    () => undefined, // without one the page works while its host does
  );
}

function answered(request, { diagnostics, output, picture, command }) {
  store();
  const current = state();
  if (request.text === current.text) {
    show(editor, element("problems"), element("count"), diagnostics, request.text);
    // For tests: the text of which the page shows diagnostics, and what the command printed.
    document.body.dataset.checked = request.text;
  }
  if (request.view !== current.view) return;
  element("command").textContent = `$ ${command}`;
  element("text").textContent = picture ? "" : output.out + (output.out && output.err ? "\n" : "") + output.err;
  showPicture(picture);
}

/** Show the picture of a plan as an image, in which no script runs. */
function showPicture(text) {
  const image = element("picture");
  if (image.src) URL.revokeObjectURL(image.src);
  image.hidden = !text;
  if (!text) return image.removeAttribute("src");
  image.alt = "Pods, Services and volumes of the job; the tab Plan has them as text";
  image.src = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
}

function select(name) {
  view = views.includes(name) ? name : "manifests";
  for (const tab of tabs) {
    const isSelected = tab.dataset.view === view;
    tab.setAttribute("aria-selected", String(isSelected));
    tab.tabIndex = isSelected ? 0 : -1;
    if (isSelected) element("panel").setAttribute("aria-labelledby", tab.id);
  }
  element("before").hidden = view !== "diff";
  check();
}

for (const [index, tab] of tabs.entries()) {
  tab.onclick = () => select(tab.dataset.view);
  tab.onkeydown = ({ key }) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
    if (!step) return;
    const next = tabs[(index + step + tabs.length) % tabs.length];
    select(next.dataset.view);
    next.focus();
  };
}

for (const name of fields) element(name).oninput = changed;
element("options").onsubmit = (event) => event.preventDefault();
element("keep").onclick = () => setText(old, editor.state.doc.toString());
element("share").onclick = async () => {
  history.replaceState(null, "", await encode(state()));
  try {
    await navigator.clipboard.writeText(location.href);
    element("state").textContent = "The link is in the clipboard; it contains the text itself";
  } catch {
    element("state").textContent = "The link is in the address bar; it contains the text itself";
  }
};

function fill(name, entries) {
  element(name).replaceChildren(...entries.map(([value, text]) => new Option(text, value)));
}

/** Show the state of the fragment, else the first example. */
async function open(examples) {
  let linked = {};
  try {
    linked = await decode(location.hash);
  } catch {
    linked = { text: DAMAGED };
  }
  for (const name of fields) if (linked[name] !== undefined) element(name).value = linked[name];
  element("example").value = linked.text === undefined ? "torchrun" : "";
  setText(editor, linked.text ?? examples.torchrun.text);
  setText(old, linked.old ?? "");
  select(linked.view);
}

const { examples, backends, kubernetes } = await (await fetch("data.json")).json();
fill("example", [["", "–"], ...Object.keys(examples).map((name) => [name, name])]);
fill("backend", [["", "of the file, else job"], ...backends.map((name) => [name, name])]);
fill("kubernetes", [["", "default"], ...kubernetes.map((name) => [name, name])]);
element("example").onchange = ({ target }) => target.value && setText(editor, examples[target.value].text);
onhashchange = () => open(examples);
await open(examples);
