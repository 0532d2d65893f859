// Diagnostics in the margin of the editor and in the list of problems, with their fixes.
import { setDiagnostics } from "@codemirror/lint";
import { offset } from "./editor.js";

const SEVERITIES = { error: "error", warning: "warning", note: "info" };
const CODE = /^TC\d{4}$/;

/** Show diagnostics in the editor and the list; `text` is that which was checked. */
export function show(view, list, heading, diagnostics, text) {
  const doc = view.state.doc;
  const fix = (entry) => () => apply(view, entry.fix, text);
  const marks = diagnostics.map((entry) => {
    const from = offset(doc, entry.location);
    const to = Math.max(offset(doc, entry.end_location ?? entry.location), from);
    const actions = entry.fix ? [{ name: label(entry.fix), apply: fix(entry) }] : [];
    return { from, to, severity: SEVERITIES[entry.severity], message: message(entry), actions };
  });
  view.dispatch(setDiagnostics(view.state, marks.sort((a, b) => a.from - b.from)));
  heading.textContent = diagnostics.length ? `Problems: ${diagnostics.length}` : "No problems";
  list.replaceChildren(...diagnostics.map((entry) => item(view, entry, fix(entry))));
}

function message(entry) {
  return `${entry.code}: ${entry.message}${entry.help ? `\nhelp: ${entry.help}` : ""}`;
}

function label(fix) {
  return fix.applicability === "safe" ? "Fix" : "Fix (may change the job)";
}

/** Return the row of a problem. Texts are set as text, never as HTML. */
function item(view, entry, fix) {
  const row = document.createElement("li");
  row.className = SEVERITIES[entry.severity] === "info" ? "note" : entry.severity;
  const place = button("place", `${entry.location.row}:${entry.location.column} ${entry.severity}: ${entry.message}`);
  place.onclick = () => {
    const anchor = offset(view.state.doc, entry.location);
    view.dispatch({ selection: { anchor }, scrollIntoView: true });
    view.focus();
  };
  row.append(place);
  if (entry.help) {
    const help = document.createElement("p");
    help.className = "help";
    help.textContent = `help: ${entry.help}`;
    row.append(help);
  } else row.append(document.createElement("br"));
  if (entry.fix) {
    const apply = button("fix", label(entry.fix));
    apply.onclick = fix;
    row.append(apply);
  }
  if (CODE.test(entry.code)) {
    const link = document.createElement("a");
    link.href = `../errors/${entry.code}/`;
    link.textContent = entry.code;
    row.append(link);
  }
  return row;
}

function button(className, text) {
  const element = document.createElement("button");
  element.type = "button";
  element.className = className;
  element.textContent = text;
  return element;
}

/** Apply the edits of a fix, unless the text has changed since it was checked. */
function apply(view, { edits }, text) {
  const doc = view.state.doc;
  if (doc.toString() !== text) return;
  const changes = edits.map((edit) => ({
    from: offset(doc, edit.location),
    to: offset(doc, edit.end_location),
    insert: edit.content,
  }));
  view.dispatch({ changes });
  view.focus();
}
