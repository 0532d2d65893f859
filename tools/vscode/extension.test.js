// `node --test`: starts the extension with stubs of `vscode` and of the client.

const assert = require("node:assert");
const fs = require("node:fs");
const Module = require("node:module");
const os = require("node:os");
const path = require("node:path");
const { after, beforeEach, test } = require("node:test");

const calls = [];
const commands = {};
const events = {};
let settings = {};
let answer;

const disposable = { dispose() {} };
const vscode = {
  env: { remoteName: undefined },
  workspace: {
    isTrusted: true,
    getConfiguration: (section) => ({ get: (key, other) => settings[`${section}.${key}`] ?? other }),
    onDidGrantWorkspaceTrust: (run) => ((events.trust = run), disposable),
    onDidChangeConfiguration: (run) => ((events.settings = run), disposable),
  },
  window: {
    createOutputChannel: () => ({ appendLine() {}, dispose() {} }),
    showErrorMessage: async (message) => (calls.push(["error", message]), answer),
  },
  commands: {
    registerCommand: (name, run) => ((commands[name] = run), disposable),
    executeCommand: async (...words) => calls.push(["command", ...words]),
  },
};

class LanguageClient {
  constructor(id, name, server, options) {
    calls.push(["new", server, options]);
  }
  async start() {
    calls.push(["start"]);
  }
  async stop() {
    calls.push(["stop"]);
  }
}

const stubs = { vscode, "vscode-languageclient/node": { LanguageClient, TransportKind: { stdio: 0 } } };
const load = Module._load;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "trainc-"));
Module._load = (name, ...rest) => stubs[name] ?? load(name, ...rest);
const { activate, deactivate } = require("./extension.js");

const names = () => calls.map(([name]) => name);
const context = () => ({ subscriptions: [] });

/** Return the path of a program that runs a line of a shell. */
function program(line) {
  const file = path.join(folder, `program-${fs.readdirSync(folder).length}`);
  fs.writeFileSync(file, `#!/bin/sh\n${line}\n`, { mode: 0o755 });
  return file;
}

// As `trainc lsp` ends without input.
const SERVER = program('[ "$(cat)" = "" ] && exit 1');

after(() => fs.rmSync(folder, { recursive: true }));

beforeEach(async () => {
  await deactivate();
  calls.length = 0;
  settings = { "trainc.command": SERVER };
  vscode.workspace.isTrusted = true;
  answer = undefined;
});

test("the server is trainc lsp, for YAML and shell scripts", async () => {
  await activate(context());
  assert.deepStrictEqual(names(), ["new", "start"]);
  assert.deepStrictEqual(calls[0][1], { command: SERVER, args: ["lsp", "--checks"], transport: 0 });
  const languages = calls[0][2].documentSelector.map((each) => each.language);
  assert.deepStrictEqual([...new Set(languages)], ["yaml", "shellscript"]);
});

test("a folder that is not trusted has no checks, and is not the working directory", async () => {
  vscode.workspace.isTrusted = false;
  await activate(context());
  assert.deepStrictEqual(calls[0][1].args, ["lsp"]);
  assert.deepStrictEqual(calls[0][1].options, { cwd: os.homedir() });
  vscode.workspace.isTrusted = true;
  await events.trust();
  assert.deepStrictEqual(names(), ["new", "start", "stop", "new", "start"]);
  assert.deepStrictEqual(calls[3][1].args, ["lsp", "--checks"]);
});

test("a program that doesn't exist is one error that says how to install it", async () => {
  settings["trainc.command"] = path.join(folder, "missing");
  answer = "Open Settings";
  vscode.env.remoteName = "ssh-remote";
  await activate(context());
  await new Promise(setImmediate);
  vscode.env.remoteName = undefined;
  await commands["trainc.restart"]();
  await new Promise(setImmediate);
  assert.deepStrictEqual(names(), ["error", "command", "error", "command"]);
  assert.match(calls[0][1], /no program `.*missing`: pip install 'trainc\[lsp\]'/);
  const query = { query: "trainc.command" };
  assert.deepStrictEqual(calls[1].slice(1), ["workbench.action.openRemoteSettings", query]);
  assert.deepStrictEqual(calls[3].slice(1), ["workbench.action.openSettings", query]);
});

test("a missing package is one error, with the text of trainc", async () => {
  settings["trainc.command"] = program("echo \"error: trainc lsp requires the package pygls\" >&2; exit 2");
  await activate(context());
  assert.deepStrictEqual(calls, [["error", "trainc lsp requires the package pygls"]]);
});

test("the command and a change of the setting restart the server", async () => {
  await activate(context());
  await commands["trainc.restart"]();
  assert.deepStrictEqual(names(), ["new", "start", "stop", "new", "start"]);
  await events.settings({ affectsConfiguration: (name) => name === "trainc.other" });
  assert.strictEqual(names().length, 5);
  await events.settings({ affectsConfiguration: (name) => name === "trainc.command" });
  assert.deepStrictEqual(names().slice(5), ["stop", "new", "start"]);
});

test("a restart works after a start that failed", async () => {
  settings["trainc.command"] = path.join(folder, "missing");
  await activate(context());
  settings["trainc.command"] = SERVER;
  await commands["trainc.restart"]();
  assert.deepStrictEqual(names(), ["error", "new", "start"]);
});
