import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** Placeholder that each response replaces by its nonce (`server/http/page/serve-page.ts`). */
const noncePlaceholder = '__nonce__'

/** The first view has no form, and number fields are large. */
const isNotForm = (id: string): boolean =>
  !/react-number-format|(NumberInput|Autocomplete|PasswordInput|Textarea|Table)[\\/]|web[\\/]forms/.test(id)

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  html: { cspNonce: noncePlaceholder },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    // Inlined files would need a policy wider than 'self'.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2023',
    // One file for shared code: each file is another request before the first rows.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'icons', test: /lucide-react/, minShareCount: 2 },
            { name: 'shared', test: isNotForm, minShareCount: 10 },
          ],
        },
      },
    },
    // Browsers with `light-dark()`. A fallback would not follow the chosen theme.
    cssTarget: ['chrome125', 'firefox128', 'safari17.5'],
  },
})
