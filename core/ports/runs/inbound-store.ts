import type { CheckpointAnswer } from '../../domain/checkpoint.ts'
import type { RefusalReason } from '../../plugin/index.ts'
import type { AnswerOutcome } from './checkpoint-store.ts'

/** A webhook call of the other system of a connection, and its meaning. */
export interface InboundCall {
  readonly organizationUuid: string
  readonly connectionUuid: string
  /** Id of the HTTP request. */
  readonly requestId: string
  /** What identifies a repeated call, and how long it is kept, in milliseconds. */
  readonly once: { readonly key: string; readonly keepMs: number } | undefined
  readonly answers: readonly JudgedAnswer[]
  /** See `Connection`. */
  readonly broken: string | undefined
  readonly warning: string | undefined
}

export interface JudgedAnswer extends Omit<CheckpointAnswer, 'at'> {
  readonly checkpointId: string
  /** Why the answer cannot count; null if it can. */
  readonly refused: RefusalReason | null
}

export interface InboundStore {
  /**
   * Records a call in one write: its answers, and the notes about the connection. Returns the outcomes of the answers in order;
   * undefined for a repeated call, which changes nothing. Throws NotFoundError `connection_not_found`, `checkpoint_not_found`.
   */
  take(call: InboundCall): Promise<readonly AnswerOutcome[] | undefined>
}
