// Starts `trainc lsp` for YAML files and shell scripts. The server does everything else.

const vscode = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

const INSTALL = "Install it with `pip install 'trainc[lsp]'`, or set `trainc.command` to its path.";

let client;

/** Start the server; show how to install it if it doesn't start. */
async function start() {
  const command = vscode.workspace.getConfiguration("trainc").get("command", "trainc");
  const server = { command, args: ["lsp"], transport: TransportKind.stdio };
  const documentSelector = ["yaml", "shellscript"].flatMap((language) => [
    { scheme: "file", language },
    { scheme: "untitled", language },
  ]);
  client = new LanguageClient("trainc", "trainc", server, { documentSelector });
  try {
    await client.start();
  } catch (problem) {
    client = undefined;
    vscode.window.showErrorMessage(`trainc: \`${command} lsp\` doesn't start: ${problem.message}. ${INSTALL}`);
  }
}

/** Stop the server, if it runs. */
async function deactivate() {
  const running = client;
  client = undefined;
  await running?.stop();
}

async function activate(context) {
  const restart = vscode.commands.registerCommand("trainc.restart", async () => {
    await deactivate();
    await start();
  });
  context.subscriptions.push(restart);
  await start();
}

module.exports = { activate, deactivate };
