import { Paper, Text, Alert, Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, Component, useState, type ReactNode } from 'react'
import { apiGet, useUnreachableSince } from '../api/call.ts'
import { useZone, zonedTime } from '../parts/time.ts'
import { ErrorAlert } from '../parts/feedback.tsx'

const askMs = 3_000

/** A banner while the server is unreachable. Polls it and reloads all data afterwards. */
export function Unreachable() {
  const since = useUnreachableSince()
  const queries = useQueryClient()
  const zone = useZone()
  useEffect(() => {
    if (since === undefined) return undefined
    const timer = setInterval(() => {
      apiGet('/session').catch(() => undefined)
    }, askMs)
    return () => {
      clearInterval(timer)
      void queries.invalidateQueries()
    }
  }, [since, queries])
  return (
    <div role="status">
      {since !== undefined && (
        <Paper withBorder shadow="md" className="unreachable" px="md" py="xs">
          <Text size="sm" fw={600}>
            Tocsin has been unreachable since {zonedTime(since, zone)}
          </Text>
          <Text size="sm">
            This page shows the data from then and retries automatically. Your unsaved input is kept.
          </Text>
        </Paper>
      )}
    </div>
  )
}

/** Browser errors for scripts that no longer exist after an update of the server. */
const isMissingPart = /dynamically imported module|importing a module script|unable to preload/i

/** Shows an error in place of a broken view. */
export class ViewBoundary extends Component<{ readonly children: ReactNode }, { readonly error: unknown }> {
  override state: { readonly error: unknown } = { error: undefined }

  static getDerivedStateFromError(error: unknown) {
    return { error }
  }

  override render(): ReactNode {
    const { error } = this.state
    if (error === undefined) return this.props.children
    if (error instanceof Error && isMissingPart.test(error.message)) return <MissingPart />
    return <ErrorAlert error={error} onRetry={() => this.setState({ error: undefined })} />
  }
}

/** Reloads the page when the server is back, because the code of a view could not be loaded. */
function MissingPart() {
  const isAway = useUnreachableSince() !== undefined
  const [wasAway, setWasAway] = useState(isAway)
  if (isAway && !wasAway) setWasAway(true)
  useEffect(() => {
    // The request shows whether the server is up.
    apiGet('/session').catch(() => undefined)
  }, [])
  const isBack = wasAway && !isAway
  useEffect(() => {
    if (isBack) location.reload()
  }, [isBack])
  return (
    <Alert color="blue" title="Could not load this part of the page" role="alert">
      <Text size="sm">
        {isAway
          ? 'It loads when the server is reachable again.'
          : 'The server was probably updated. Reload to continue.'}
      </Text>
      {!isAway && (
        <Button mt="sm" size="xs" variant="default" onClick={() => location.reload()}>
          Reload page
        </Button>
      )}
    </Alert>
  )
}
