import type { Span } from '../../playbook/language/source-text.ts'

export interface Completion {
  readonly label: string
  readonly kind: 'key' | 'skill' | 'playbook' | 'value' | 'field' | 'step' | 'name' | 'function'
  /** Shown beside the label, on one line. */
  readonly detail?: string | undefined
  /** Markdown. */
  readonly documentation?: string | undefined
  /** Default: the label. */
  readonly insert?: string | undefined
  /** Lower ones first. Default 1. */
  readonly rank?: number | undefined
}

export interface Completions {
  readonly items: readonly Completion[]
  /** The range that the chosen completion replaces. */
  readonly replaces: Span
}
