import { Alert, Button, Text } from '@mantine/core'
import { Component, type ReactNode } from 'react'
import { Refusal } from '../parts/refusal.tsx'

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
    if (error instanceof Error && isMissingPart.test(error.message)) return <Updated />
    return <Refusal error={error} onRetry={() => this.setState({ error: undefined })} />
  }
}

function Updated() {
  return (
    <Alert color="blue" title="This part of the page could not be loaded" role="alert">
      <Text size="sm">
        The server has probably been updated since the page was opened, or it does not answer.
      </Text>
      <Button mt="sm" size="xs" variant="default" onClick={() => location.reload()}>
        Load the page anew
      </Button>
    </Alert>
  )
}
