// Web worker with Pyodide and trainc: answers each request with the JSON of compiler.py.
import { loadPyodide } from "./pyodide/pyodide.mjs";

const start = performance.now();

async function load() {
  const [python, archive] = await Promise.all([
    loadPyodide({ indexURL: new URL("./pyodide/", import.meta.url).href }),
    fetch(new URL("./python.zip", import.meta.url)).then((response) => response.arrayBuffer()),
  ]);
  python.unpackArchive(archive, "zip", { extractDir: "/trainc" });
  python.runPython("import sys; sys.path.insert(0, '/trainc'); import compiler");
  return python.runPython("compiler.analyze");
}

const analyze = load();
analyze.then(
  () => postMessage({ ready: true, milliseconds: Math.round(performance.now() - start) }),
  (error) => postMessage({ failure: String(error) }),
);

onmessage = async ({ data }) => {
  try {
    postMessage({ id: data.id, answer: JSON.parse((await analyze)(JSON.stringify(data.request))) });
  } catch (error) {
    postMessage({ id: data.id, failure: String(error) });
  }
};
