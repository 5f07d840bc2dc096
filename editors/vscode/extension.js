// Starts `frp lsp` for documents of the language. Everything else is the server's.

const { workspace, window } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;
let watcher;

async function start() {
  const settings = workspace.getConfiguration("frp");
  const command = settings.get("path", "frp");
  client = new LanguageClient(
    "frp",
    "frp",
    { command, args: ["lsp", ...settings.get("arguments", [])] },
    {
      documentSelector: [{ language: "frp" }],
      // What a program imports may change without the editor.
      synchronize: { fileEvents: watcher },
    },
  );
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    window.showErrorMessage(`frp: cannot start \`${command} lsp\` (${error.message}); the setting frp.path names the program`);
  }
}

async function stop() {
  const running = client;
  client = undefined;
  if (running) await running.stop();
}

async function activate(context) {
  watcher = workspace.createFileSystemWatcher("**/*.frp");
  context.subscriptions.push(
    watcher,
    workspace.onDidChangeConfiguration(async (event) => {
      if (!event.affectsConfiguration("frp")) return;
      await stop();
      await start();
    }),
  );
  await start();
}

module.exports = { activate, deactivate: stop };
