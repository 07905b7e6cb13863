import type { Actor } from '../../domain/audit.ts'
import type {
  AnswerVerdict,
  Checkpoint,
  CheckpointAnswer,
  CheckpointState,
  Question,
  QuestionGroup,
  Silence,
  UnansweredState,
} from '../../domain/checkpoint.ts'
import type { ListPage, ListRequest, OrganizationScope } from '../common.ts'

export interface NewCheckpoint {
  readonly path: string
  readonly stepId: string | null
  readonly question: Question
  /** Default: its answer decides alone. */
  readonly group?: QuestionGroup | undefined
  /** Epoch milliseconds. */
  readonly timeoutAt: number
  /** Default: unknown. */
  readonly onTimeout?: Silence | undefined
}

export interface CheckpointFilter {
  readonly state: CheckpointState
  readonly runUuid?: string | undefined
  /** Name of the skill that asks, or `operator`. */
  readonly via?: string | undefined
  /** See `kindOf`. */
  readonly kind?: string | undefined
}

/** A bulk answer. */
export interface BulkAnswer {
  /** Identifies the preview (`seenOf`). */
  readonly seen: string
  /** Number of questions. */
  readonly count: number
}

/** Details of an answer for the audit log. */
export interface AnswerDetails {
  readonly together?: BulkAnswer | undefined
  /** Given with a session of the key instead of the key. */
  readonly session?: boolean | undefined
}

/** Questions to people. A run has at most one question at a path, and a question at most one answer that counts. */
export interface CheckpointStore {
  /**
   * Opens a question with a new id; the run becomes `waiting`. A second call for the path returns the existing question. If the
   * answers of its group have decided, it is `decided` from the start.
   */
  open(runUuid: string, checkpoint: NewCheckpoint): Promise<Checkpoint>
  /** Stores the name of the connection before the question is sent over it. */
  storeConnection(runUuid: string, path: string, connection: string): Promise<void>
  /** Stores the output of the skill that asked; only the person in `asked` may answer over the connection. */
  asked(runUuid: string, path: string, reference: unknown): Promise<void>
  atPath(runUuid: string, path: string): Promise<Checkpoint | undefined>
  /** The opened questions of a group, in the order of the people. */
  inGroup(runUuid: string, path: string): Promise<readonly Checkpoint[]>
  /** Closes a question unless it was answered first; returns its state. */
  close(runUuid: string, path: string, state: UnansweredState): Promise<Checkpoint>
  find(scope: OrganizationScope, id: string): Promise<Checkpoint | undefined>
  /** Questions to one person over one connection, of any state, newest first. */
  toPerson(person: QuestionRecipient, limit: number): Promise<readonly Checkpoint[]>
  /** Newest first by default. */
  list(scope: OrganizationScope, page: ListRequest, filter: CheckpointFilter): Promise<ListPage<Checkpoint>>
  /**
   * Records an answer that fits the question. The first one before the timeout counts; `outcome` says so, or why not. In a
   * group, each person counts once, and the answer that decides closes the other questions. Throws NotFoundError
   * `checkpoint_not_found`.
   */
  answer(
    id: string,
    answer: Omit<CheckpointAnswer, 'at' | 'by'>,
    by: Actor,
    how?: AnswerDetails,
  ): Promise<AnswerOutcome>
  /** All recorded answers, oldest first. */
  answers(id: string): Promise<readonly AnswerRecord[]>
}

export interface QuestionRecipient {
  readonly organizationUuid: string
  /** Name of the connection. */
  readonly connection: string
  /** The person's id in the other system. */
  readonly asked: string
}

export interface AnswerOutcome {
  /** `second` and `late` unless another reason was given. */
  readonly outcome: AnswerVerdict
  /** The question after the answer. */
  readonly checkpoint: Checkpoint
}

export interface AnswerRecord extends CheckpointAnswer {
  readonly outcome: AnswerVerdict
}
