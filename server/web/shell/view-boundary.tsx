import { Component, type ReactNode } from 'react'
import { Refusal } from '../parts/refusal.tsx'

/** A view that breaks leaves the rest of the page as it is. */
export class ViewBoundary extends Component<{ readonly children: ReactNode }, { readonly error: unknown }> {
  override state: { readonly error: unknown } = { error: undefined }

  static getDerivedStateFromError(error: unknown) {
    return { error }
  }

  override render(): ReactNode {
    if (this.state.error === undefined) return this.props.children
    return <Refusal error={this.state.error} onRetry={() => this.setState({ error: undefined })} />
  }
}
