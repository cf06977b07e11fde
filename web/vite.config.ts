import { defineConfig } from "vite";

// The built page is served, and shipped in the wheel, from the Python package.
// `npm run dev` serves the sources and passes the API on to a running avatar.
export default defineConfig({
  base: "./",
  build: {
    outDir: "../src/elsewhere/server/static",
    emptyOutDir: true,
    target: "es2022",
    chunkSizeWarningLimit: 900,
  },
  worker: { format: "es" },
  server: { proxy: { "/api": "http://127.0.0.1:8765" } },
});
