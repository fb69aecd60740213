import { svelte } from "@sveltejs/vite-plugin-svelte";
import vue from "@vitejs/plugin-vue";
import { defineConfig } from "vite";

export default defineConfig({
  base: "./",
  build: { rollupOptions: { input: ["react", "vue", "svelte"].map((name) => `${name}/index.html`) } },
  plugins: [
    svelte(),
    vue({ template: { compilerOptions: { isCustomElement: (tag) => tag === "service-ad" } } }),
  ],
});
