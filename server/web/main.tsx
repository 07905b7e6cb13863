import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { preloadPage } from './preload-page.ts'

refuseMarkup()
preloadPage(location.pathname)
const root = document.querySelector('#root')
if (root === null) throw new Error('index.html has no element #root')
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
)

/**
 * The content security policy lets no text become markup but through this policy, and it refuses whatever could hold an element.
 * The component library sets the text of its style elements that way.
 */
function refuseMarkup(): void {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes }
  trustedTypes?.createPolicy('default', { createHTML: (text) => (text.includes('<') ? null : text) })
}

/** Of the browser; the types of the platform do not know it yet. */
interface TrustedTypes {
  createPolicy(name: string, rules: { readonly createHTML: (text: string) => string | null }): unknown
}
