// Service worker: stores all files of the playground at the first visit, and answers from there.
// tools/playground.py replaces FILES and VERSION.
const CACHE = `trainc-playground-${VERSION}`;

addEventListener("install", (event) => {
  event.waitUntil(
    caches
      .open(CACHE)
      .then((cache) => cache.addAll(FILES.map((file) => new Request(file, { cache: "no-cache" }))))
      .then(() => skipWaiting()),
  );
});

addEventListener("activate", (event) => {
  const old = (names) => names.filter((name) => name.startsWith("trainc-playground-") && name !== CACHE);
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(old(names).map((name) => caches.delete(name))))
      .then(() => clients.claim()),
  );
});

addEventListener("fetch", (event) => {
  if (event.request.method !== "GET" || new URL(event.request.url).origin !== location.origin) return;
  const options = { ignoreSearch: true };
  event.respondWith(caches.match(event.request, options).then((stored) => stored ?? fetch(event.request)));
});
