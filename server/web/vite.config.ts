import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** What a response puts in the place of this is its nonce (`server/http/page/serve-page.ts`). */
const noncePlaceholder = '__nonce__'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  html: { cspNonce: noncePlaceholder },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    // Inlined files would need a wider policy than 'self'.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2023',
    // Small pieces that many views share come in one file: each file is one more request before the first rows are there.
    rolldownOptions: {
      output: { codeSplitting: { groups: [{ name: 'shared', minShareCount: 5 }] } },
    },
    // Browsers that know `light-dark()`: lowered, it would not follow the choice of whoever looks at the page.
    cssTarget: ['chrome125', 'firefox128', 'safari17.5'],
  },
})
