import type { CheckpointAnswer } from '../../domain/checkpoint.ts'
import type { RefusalReason } from '../../plugin/index.ts'
import type { AnswerOutcome } from './checkpoint-store.ts'

/** What the other system of a connection sent, and what it means. */
export interface InboundCall {
  readonly organizationUuid: string
  readonly connectionUuid: string
  /** Of the HTTP request that it came by. */
  readonly requestId: string
  /** What it repeats when it sends the same again, and for how many milliseconds a repeat is known. */
  readonly once: { readonly key: string; readonly keepMs: number } | undefined
  readonly answers: readonly JudgedAnswer[]
  /** See `Connection`. */
  readonly broken: string | undefined
  readonly warning: string | undefined
}

export interface JudgedAnswer extends Omit<CheckpointAnswer, 'at'> {
  readonly checkpointId: string
  /** Why it cannot count; null: it does, if it is the first and in time. */
  readonly refused: RefusalReason | null
}

export interface InboundStore {
  /**
   * All that one call brings, in one write: that it came, its answers, what became known of the connection. Gives what became of
   * the answers, in order; undefined for the repeat of a call, which changes nothing. Throws NotFoundError
   * `connection_not_found`, `checkpoint_not_found`.
   */
  take(call: InboundCall): Promise<readonly AnswerOutcome[] | undefined>
}
