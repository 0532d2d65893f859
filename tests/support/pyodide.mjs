// Run a Python script under Pyodide: node pyodide.mjs PYODIDE SCRIPT FOLDER=MOUNT_POINT...
// Its last expression is a string, which is printed after the milliseconds that Pyodide took to load.
import { readFileSync } from "node:fs";

const [pyodide, script, ...mounts] = process.argv.slice(2);
const { loadPyodide } = await import(pyodide);
const start = performance.now();
const python = await loadPyodide();
const loaded = performance.now() - start;
for (const mount of mounts) {
  const [folder, point] = mount.split("=");
  python.FS.mkdirTree(point);
  python.mountNodeFS(point, folder);
}
const result = python.runPython(readFileSync(script, "utf8"));
process.stdout.write(`${Math.round(loaded)}\n${result}`);
