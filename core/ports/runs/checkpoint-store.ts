import type { Actor } from '../../domain/audit.ts'
import type {
  AnswerVerdict,
  Checkpoint,
  CheckpointAnswer,
  CheckpointState,
  Question,
  Silence,
} from '../../domain/checkpoint.ts'
import type { Page, PageRequest, Scope } from '../common.ts'

export interface NewCheckpoint {
  readonly path: string
  readonly stepId: string | null
  readonly question: Question
  /** Epoch milliseconds. */
  readonly timeoutAt: number
  /** Default: not known. */
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

/** Of an answer that was given to many questions at once. */
export interface Together {
  /** Names what the preview showed (`seenOf`). */
  readonly seen: string
  /** How many questions. */
  readonly count: number
}

/** What else the audit log says of an answer. */
export interface AnsweredHow {
  readonly together?: Together | undefined
  /** With a session of the key, and not with the key itself. */
  readonly session?: boolean | undefined
}

/** Questions to people. A run has at most one at a path, and a question at most one answer that counts. */
export interface CheckpointStore {
  /** Makes the id; the run becomes `waiting`. A second call for the path gives what is there. */
  open(runUuid: string, checkpoint: NewCheckpoint): Promise<Checkpoint>
  /** Keeps the name of the connection that the question is about to go out over. */
  goesOver(runUuid: string, path: string, connection: string): Promise<void>
  /** Keeps what the skill answered when it asked; `asked` in it is who alone may answer over the connection. */
  asked(runUuid: string, path: string, reference: unknown): Promise<void>
  atPath(runUuid: string, path: string): Promise<Checkpoint | undefined>
  /** Waits no longer. One of an answer and this wins: gives what holds. */
  close(runUuid: string, path: string, state: 'timed_out' | 'withdrawn'): Promise<Checkpoint>
  find(scope: Scope, id: string): Promise<Checkpoint | undefined>
  /** Questions to one person over one connection, of any state, newest first. */
  toPerson(person: AskedPerson, limit: number): Promise<readonly Checkpoint[]>
  /** Newest first, or as the page wants it. */
  list(scope: Scope, page: PageRequest, filter: CheckpointFilter): Promise<Page<Checkpoint>>
  /**
   * Records an answer. It counts if it is the first, while the checkpoint waits and before its timeout; `outcome` says so, or
   * why not. The answer has to fit the question already. Throws NotFoundError `checkpoint_not_found`.
   */
  answer(
    id: string,
    answer: Omit<CheckpointAnswer, 'at' | 'by'>,
    by: Actor,
    how?: AnsweredHow,
  ): Promise<AnswerOutcome>
  /** All that came, oldest first. */
  answers(id: string): Promise<readonly GivenAnswer[]>
}

export interface AskedPerson {
  readonly organizationUuid: string
  /** Name of the connection. */
  readonly connection: string
  /** As the other system knows them. */
  readonly asked: string
}

export interface AnswerOutcome {
  /** `second` and `late` where nothing else was said about it. */
  readonly outcome: AnswerVerdict
  /** As it is now. */
  readonly checkpoint: Checkpoint
}

export interface GivenAnswer extends CheckpointAnswer {
  readonly outcome: AnswerVerdict
}
