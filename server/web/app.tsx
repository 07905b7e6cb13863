import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import '@mantine/spotlight/styles.css'
import './style.css'
import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { problemOf } from './api/problem.ts'
import { nonce } from './nonce.ts'
import { SessionGate } from './session/session-gate.tsx'
import { Shell } from './shell/shell.tsx'
import { readableColours, theme } from './theme.ts'

/** Refusals stay refusals when they are asked again; what did not arrive is tried again. */
const tryAgain = (failures: number, error: unknown): boolean => {
  const { status } = problemOf(error)
  return failures < 3 && (status === 0 || status >= 500)
}

const queries = new QueryClient({
  defaultOptions: {
    // The browser does not know whether the server can be reached: it may be on this very machine.
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
        <Notifications position="bottom-right" />
        <SessionGate>
          <Shell />
        </SessionGate>
      </QueryClientProvider>
    </MantineProvider>
  )
}
