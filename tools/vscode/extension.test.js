// `node --test`: starts the extension with stubs of `vscode` and of the client.

const assert = require("node:assert");
const Module = require("node:module");
const { beforeEach, test } = require("node:test");

const calls = [];
const commands = {};
let settings = {};
let failure;

const vscode = {
  workspace: { getConfiguration: (section) => ({ get: (key, other) => settings[`${section}.${key}`] ?? other }) },
  window: { showErrorMessage: (message) => calls.push(["error", message]) },
  commands: { registerCommand: (name, run) => ((commands[name] = run), { dispose() {} }) },
};

class LanguageClient {
  constructor(id, name, server, options) {
    calls.push(["new", server, options]);
  }
  async start() {
    calls.push(["start"]);
    if (failure) throw failure;
  }
  async stop() {
    calls.push(["stop"]);
  }
}

const stubs = { vscode, "vscode-languageclient/node": { LanguageClient, TransportKind: { stdio: 0 } } };
const load = Module._load;
Module._load = (name, ...rest) => stubs[name] ?? load(name, ...rest);
const { activate, deactivate } = require("./extension.js");

const names = () => calls.map(([name]) => name);

beforeEach(async () => {
  await deactivate();
  calls.length = 0;
  settings = {};
  failure = undefined;
});

test("the server is trainc lsp, for YAML and shell scripts", async () => {
  const context = { subscriptions: [] };
  await activate(context);
  assert.deepStrictEqual(names(), ["new", "start"]);
  assert.deepStrictEqual(calls[0][1], { command: "trainc", args: ["lsp"], transport: 0 });
  const languages = calls[0][2].documentSelector.map((each) => each.language);
  assert.deepStrictEqual([...new Set(languages)], ["yaml", "shellscript"]);
  assert.strictEqual(context.subscriptions.length, 1);
});

test("a setting names the program", async () => {
  settings["trainc.command"] = "/venv/bin/trainc";
  await activate({ subscriptions: [] });
  assert.strictEqual(calls[0][1].command, "/venv/bin/trainc");
});

test("a server that doesn't start is an error that says how to install it", async () => {
  failure = new Error("spawn trainc ENOENT");
  await activate({ subscriptions: [] });
  assert.deepStrictEqual(names(), ["new", "start", "error"]);
  assert.match(calls[2][1], /spawn trainc ENOENT.*pip install 'trainc\[lsp\]'.*trainc\.command/);
  await deactivate();
  assert.deepStrictEqual(names(), ["new", "start", "error"]);
});

test("the command restarts the server", async () => {
  await activate({ subscriptions: [] });
  await commands["trainc.restart"]();
  assert.deepStrictEqual(names(), ["new", "start", "stop", "new", "start"]);
});
