import { lazy, StrictMode, Suspense, type ComponentType } from 'react'
import { createRoot } from 'react-dom/client'
import '@mantine/core/styles.css'
import { MantineProvider } from '@mantine/core'
import { useNotifications } from '@mantine/notifications'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { LucideProvider } from 'lucide-react'
import './style.css'
import { apiProblem } from './api/problem.ts'
import { nonce } from './nonce.ts'
import { WhenNeeded } from './parts/layout.tsx'
import { SessionGate } from './session/session-gate.tsx'
import { isSignInPath } from './session/single-sign-on.tsx'
import { Shell } from './shell/shell.tsx'
import { ViewBoundary } from './shell/unreachable.tsx'
import { readableColours, theme } from './theme.ts'
import { pages } from './views.ts'

/** When the first view has its rows, even over a slow line. */
const loadRestMs = 30_000

refuseMarkup()
preloadPage(location.pathname)
setTimeout(loadRest, loadRestMs)
const root = document.querySelector('#root')
if (root === null) throw new Error('index.html has no element #root')
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
)

/**
 * The policy for trusted types: it refuses text that could contain an element. Mantine sets the text of
 * style elements with it.
 */
function refuseMarkup(): void {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes }
  trustedTypes?.createPolicy('default', { createHTML: (text) => (text.includes('<') ? null : text) })
}

/** A browser type that is not in the platform types yet. */
interface TrustedTypes {
  createPolicy(name: string, rules: { readonly createHTML: (text: string) => string | null }): unknown
}

/** Retry only requests that did not arrive, and server errors. */
const tryAgain = (failures: number, error: unknown): boolean => {
  const { status } = apiProblem(error)
  return failures < 3 && (status === 0 || status >= 500)
}

/** The view of a path that needs no session. */
function publicView(path: string): ComponentType | undefined {
  if (path === '/invitation') return lazy(() => import('./session/accept-invitation.tsx'))
  return isSignInPath(path) ? lazy(() => import('./session/single-sign-on-view.tsx')) : undefined
}

const loadOverlays = () => import('./shell/overlays.tsx')
const Messages = lazy(() => loadOverlays().then(({ Messages: list }) => ({ default: list })))

/** Of icons in buttons and lines of text, in pixels. */
const iconSize = 15

const View = publicView(location.pathname)

const queries = new QueryClient({
  defaultOptions: {
    // `navigator.onLine` is unreliable: the server may run on the same machine.
    queries: { retry: tryAgain, staleTime: 1_000, refetchOnWindowFocus: true, networkMode: 'always' },
    mutations: { networkMode: 'always' },
  },
})

export function App() {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={readableColours}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={queries}>
        <LucideProvider size={iconSize}>
          <NewMessages />
          {View !== undefined ? (
            <Suspense fallback={null}>
              <View />
            </Suspense>
          ) : (
            <SessionGate>
              <Shell />
            </SessionGate>
          )}
        </LucideProvider>
      </QueryClientProvider>
    </MantineProvider>
  )
}

/** Notifications, which few views show at first. */
function NewMessages() {
  const { notifications } = useNotifications()
  return (
    <ViewBoundary>
      <WhenNeeded isNeeded={notifications.length > 0}>
        <Messages />
      </WhenNeeded>
    </ViewBoundary>
  )
}

/** Loads what must also work after an update of the server has replaced the files. */
function loadRest(): void {
  for (const load of [loadOverlays, () => import('./session/sign-in.tsx')]) load().catch(() => undefined)
}

/** Loads the code of a view while the session is loading. The view reports errors. */
export function preloadPage(path: string): void {
  const parts = path === '/' ? ['', 'alerts'] : path.split('/')
  const fits = (pattern: string): boolean => {
    const wanted = pattern.split('/')
    return (
      wanted.length === parts.length && wanted.every((part, at) => part === parts[at] || part.startsWith(':'))
    )
  }
  pages
    .find((page) => fits(page.path))
    ?.load()
    .catch(() => undefined)
}
