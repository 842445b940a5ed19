import { defineConfig } from 'vite'
{{import}}

/** `fw run` serves src/frontend with hot reload; `fw build` writes it to src/main/webapp/assets. */
export default defineConfig({
  base: './',
  publicDir: false,
  {{plugins}}
  build: {
    outDir: 'src/main/webapp/assets',
    assetsDir: 'built',
    emptyOutDir: false,
    manifest: true,
    rolldownOptions: {
      // Each entry of `s.assetTags(…)`.
      input: ['src/frontend/application.ts'],
      output: { hashCharacters: 'hex' },
    },
  },
})
