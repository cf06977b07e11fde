import { defineConfig } from "vite";

// Two pages: the operator's, and the overlay for who stands by the robot. What both use is shared.
// The built pages are served, and shipped in the wheel, from the Python package.
// `npm run dev` serves the sources and passes the API on to a running avatar.
export default defineConfig({
  base: "./",
  build: {
    outDir: "../src/elsewhere/server/static",
    emptyOutDir: true,
    target: "es2022",
    chunkSizeWarningLimit: 900,
    rollupOptions: { input: { index: "index.html", overlay: "overlay.html" } },
  },
  worker: { format: "es" },
  server: { proxy: { "/api": { target: "http://127.0.0.1:8765", ws: true } } },
});
