// CodeMirror in a shadow root: its styles become adopted style sheets, which need no inline style element.
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { HighlightStyle, bracketMatching, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { EditorView, drawSelection, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const THEME = EditorView.theme({
  "&": { backgroundColor: "var(--back)", color: "var(--text)", fontSize: "13.5px" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-2px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5", minHeight: "120px", maxHeight: "62vh" },
  ".cm-content": { caretColor: "var(--text)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": { backgroundColor: "var(--panel)", color: "var(--soft)", borderRight: "1px solid var(--line)" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "transparent" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--select)",
  },
  ".cm-tooltip": { backgroundColor: "var(--panel)", color: "var(--text)", border: "1px solid var(--line)" },
  ".cm-panels": { backgroundColor: "var(--panel)", color: "var(--text)" },
  ".cm-diagnosticAction": { backgroundColor: "var(--accent)", color: "var(--on-accent)" },
});
const COLORS = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--key)" },
  { tag: [tags.string, tags.content, tags.attributeValue], color: "var(--value)" },
  { tag: [tags.comment, tags.lineComment], color: "var(--comment)" },
]);

/** Return an editor in an element; `onChange()` is called when its text has changed. */
export function createEditor(parent, label, onChange, extensions = []) {
  const root = parent.attachShadow({ mode: "open" });
  return new EditorView({
    parent: root,
    root,
    state: EditorState.create({
      extensions: [
        lineNumbers(),
        lintGutter(),
        history(),
        drawSelection(),
        highlightActiveLine(),
        indentOnInput(),
        bracketMatching(),
        yaml(),
        syntaxHighlighting(COLORS),
        THEME,
        keymap.of([...lintKeymap, ...defaultKeymap, ...historyKeymap]),
        EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false" }),
        EditorView.updateListener.of((update) => update.docChanged && onChange()),
        ...extensions,
      ],
    }),
  });
}

/** Replace the text of an editor. */
export function setText(view, text) {
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
}

/** Return the offset of a location, whose row and column count from 1 and code points. */
export function offset(doc, { row, column }) {
  const line = doc.line(Math.min(Math.max(row, 1), doc.lines));
  const before = [...line.text].slice(0, Math.max(column, 1) - 1).join("");
  return line.from + before.length;
}
