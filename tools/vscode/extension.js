// Starts `trainc lsp` for YAML files and shell scripts. The server does everything else.

const { execFile } = require("node:child_process");
const { homedir } = require("node:os");
const vscode = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

const INSTALL = "pip install 'trainc[lsp]'";
const SETTING = "trainc.command";

let client;
let output;
let lastRestart = Promise.resolve();

/** Return the server of this window: the checks of a project file are code, and run in trusted folders only. */
function server() {
  const command = vscode.workspace.getConfiguration("trainc").get("command", "trainc");
  if (vscode.workspace.isTrusted) return { command, args: ["lsp", "--checks"], transport: TransportKind.stdio };
  // Windows looks for a program in the working directory first.
  return { command, args: ["lsp"], transport: TransportKind.stdio, options: { cwd: homedir() } };
}

/** Return why the server can't run; undefined if it can: without input it ends at once, with code 1. */
function problemOf({ command, args, options }) {
  return new Promise((resolve) => {
    const child = execFile(command, args, { ...options, timeout: 60_000 }, (problem, _, stderr) => {
      if (problem?.code === "ENOENT") resolve(`there is no program \`${command}\`: ${INSTALL}`);
      else resolve(problem && problem.code !== 1 ? stderr.trim() || problem.message : undefined);
    });
    child.stdin?.on("error", () => {}); // of a program that has ended
    child.stdin?.end();
  });
}

/** Show why the server can't run, with a way to the setting. */
async function show(problem) {
  output.appendLine(problem);
  const button = "Open Settings";
  const answer = await vscode.window.showErrorMessage(problem.replace(/^error: /, ""), button);
  const settings = vscode.env.remoteName ? "openRemoteSettings" : "openSettings"; // by the setting's scope, `machine`
  if (answer === button) await vscode.commands.executeCommand(`workbench.action.${settings}`, { query: SETTING });
}

/** Start the server, or show why it can't run. */
async function start() {
  const own = server();
  const problem = await problemOf(own);
  if (problem) {
    show(problem); // until the user closes it
    return;
  }
  const documentSelector = ["yaml", "shellscript"].flatMap((language) => [
    { scheme: "file", language },
    { scheme: "untitled", language },
  ]);
  client = new LanguageClient("trainc", "trainc", own, { documentSelector, outputChannel: output });
  await client.start();
}

/** Stop the server, if it runs. */
async function deactivate() {
  const running = client;
  client = undefined;
  await running?.stop();
}

/** Stop the server and start it, after earlier restarts. */
function restart() {
  lastRestart = lastRestart
    .catch(() => {}) // which the client has shown
    .then(deactivate)
    .then(start);
  return lastRestart;
}

async function activate(context) {
  output = vscode.window.createOutputChannel("trainc");
  context.subscriptions.push(
    output,
    vscode.commands.registerCommand("trainc.restart", restart),
    vscode.workspace.onDidGrantWorkspaceTrust(restart),
    vscode.workspace.onDidChangeConfiguration((change) => change.affectsConfiguration(SETTING) && restart()),
  );
  await restart();
}

module.exports = { activate, deactivate };
