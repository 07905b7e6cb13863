import { Alert, Button, Text } from '@mantine/core'
import { Component, useEffect, useState, type ReactNode } from 'react'
import { get } from '../../api/call.ts'
import { useSilentSince } from '../../api/reached.ts'
import { Refusal } from '../../parts/states/refusal.tsx'

/** How browsers say that a part of the page cannot be loaded: its name is gone once the server has another version. */
const isMissingPart = /dynamically imported module|importing a module script|unable to preload/i

/** A view that breaks leaves the rest of the page as it is. */
export class ViewBoundary extends Component<{ readonly children: ReactNode }, { readonly error: unknown }> {
  override state: { readonly error: unknown } = { error: undefined }

  static getDerivedStateFromError(error: unknown) {
    return { error }
  }

  override render(): ReactNode {
    const { error } = this.state
    if (error === undefined) return this.props.children
    if (error instanceof Error && isMissingPart.test(error.message)) return <MissingPart />
    return <Refusal error={error} onRetry={() => this.setState({ error: undefined })} />
  }
}

/** In the place of a view whose part of the page could not be loaded: loads the page anew once a server that was away is there again. */
function MissingPart() {
  const isAway = useSilentSince() !== undefined
  const [wasAway, setWasAway] = useState(isAway)
  if (isAway && !wasAway) setWasAway(true)
  useEffect(() => {
    // Is it away? Whoever asks will see.
    get('/session').catch(() => undefined)
  }, [])
  const isBack = wasAway && !isAway
  useEffect(() => {
    if (isBack) location.reload()
  }, [isBack])
  return (
    <Alert color="blue" title="Could not load this part of the page" role="alert">
      <Text size="sm">
        {isAway
          ? 'It is loaded as soon as the server answers.'
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
