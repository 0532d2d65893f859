// The compiler in its web worker. Requests that come while it works are dropped except for the last.
const LIMIT = 60_000; // ms; a compilation takes a few

export class Compiler {
  /** `onAnswer(request, answer)`, `onState(text)`. */
  constructor(onAnswer, onState) {
    this.onAnswer = onAnswer;
    this.onState = onState;
    this.id = 0;
    this.start();
  }

  start() {
    this.running = null;
    this.isReady = false;
    this.worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    this.worker.onmessage = ({ data }) => this.receive(data);
    this.worker.onerror = () => this.onState("The compiler could not be loaded: reload the page");
  }

  /** Analyze a request as soon as the worker is free. */
  send(request) {
    this.waiting = request;
    this.next();
  }

  next() {
    if (this.running || !this.waiting || !this.isReady) return;
    this.running = { id: ++this.id, request: this.waiting, start: performance.now() };
    this.waiting = null;
    this.worker.postMessage({ id: this.running.id, request: this.running.request });
    this.timer = setTimeout(() => this.restart(), LIMIT);
  }

  receive({ ready, milliseconds, failure, id, answer }) {
    if (ready) {
      this.isReady = true;
      this.onState(`Compiler loaded in ${(milliseconds / 1000).toFixed(1)} s`);
    } else if (id === undefined) {
      this.onState(`The compiler could not be loaded: ${failure}`);
    } else if (id === this.running?.id) {
      const { request, start } = this.running;
      clearTimeout(this.timer);
      this.running = null;
      if (failure) this.onState(`The compiler failed: ${failure}`);
      else {
        this.onState(`Compiled in ${Math.round(performance.now() - start)} ms`);
        this.onAnswer(request, answer);
      }
    }
    this.next();
  }

  restart() {
    this.worker.terminate();
    this.onState("The compiler did not answer and is loaded again");
    this.start();
  }
}
