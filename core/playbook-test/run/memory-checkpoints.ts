import { authorOf } from '../../domain/audit.ts'
import type { Checkpoint, CheckpointAnswer, QuestionGroup } from '../../domain/checkpoint.ts'
import { NotFoundError } from '../../errors/errors.ts'
import type { CheckpointStore, AnswerRecord } from '../../ports/runs/checkpoint-store.ts'
import {
  answeredQuestion,
  closeQuestion,
  counts,
  judgeAnswer,
  openQuestion,
} from '../../transitions/question.ts'
import { refusedInGroup, stateOfOthers } from '../../transitions/quorum.ts'
import type { Clock } from '../../ports/clock.ts'

/** The questions of one run in memory. */
export interface MemoryCheckpoints {
  readonly store: CheckpointStore
  /** In the order in which they were asked. */
  all(): readonly Checkpoint[]
  /** Makes a question time out now. */
  expire(path: string): void
}

function missing(message: string): never {
  throw new NotFoundError('checkpoint_not_found', message)
}

const unknownFacts = {
  playbookName: '',
  alertId: null,
  caseId: null,
  connection: null,
  reference: null,
  answer: null,
} as const

/** The open questions of a group that its answers have decided. */
const decidedBy = (group: QuestionGroup, members: readonly Checkpoint[]): readonly Checkpoint[] =>
  stateOfOthers(group, members) === openQuestion ? [] : members.filter(({ state }) => state === openQuestion)

/** `onOpen` is called for every new question; answer it through the store. */
export function createMemoryCheckpoints(
  clock: Pick<Clock, 'now'>,
  organizationUuid: string,
  onOpen: (checkpoint: Checkpoint) => void = () => {},
): MemoryCheckpoints {
  const byPath = new Map<string, Checkpoint>()
  const given = new Map<string, AnswerRecord[]>()

  const atPath = (path: string): Checkpoint => {
    const found = byPath.get(path)
    return found ?? missing(`nothing was asked at '${path}'`)
  }
  const withId = (id: string): Checkpoint | undefined => [...byPath.values()].find((each) => each.id === id)
  const change = (checkpoint: Checkpoint, changes: Partial<Checkpoint>): Checkpoint => {
    const changed = { ...checkpoint, ...changes }
    byPath.set(checkpoint.path, changed)
    return changed
  }
  const membersOf = (path: string): readonly Checkpoint[] =>
    [...byPath.values()].filter(({ group }) => group?.path === path)
  const store: CheckpointStore = {
    async open(runUuid, opened) {
      const known = byPath.get(opened.path)
      if (known !== undefined) return known
      const { group = null } = opened
      const checkpoint: Checkpoint = {
        ...unknownFacts,
        ...opened,
        group,
        onTimeout: opened.onTimeout ?? null,
        id: `checkpoint-${byPath.size + 1}`,
        runUuid,
        organizationUuid,
        state: group === null ? openQuestion : stateOfOthers(group, membersOf(group.path)),
        createdAt: clock.now(),
      }
      byPath.set(opened.path, checkpoint)
      if (checkpoint.state === openQuestion) onOpen(checkpoint)
      return checkpoint
    },
    storeConnection: async (_run, path, connection) => void change(atPath(path), { connection }),
    asked: async (_run, path, reference) => void change(atPath(path), { reference }),
    atPath: async (_run, path) => byPath.get(path),
    inGroup: async (_run, path) => membersOf(path),
    async close(_run, path, state) {
      const checkpoint = atPath(path)
      return change(checkpoint, { state: closeQuestion(checkpoint.state, state) })
    },
    find: async (_scope, id) => withId(id),
    // There are no answers over connections.
    toPerson: async () => [],
    async list(_scope, _page, filter) {
      const data = [...byPath.values()].filter(({ state }) => state === filter.state).toReversed()
      return { data, nextCursor: null, total: data.length }
    },
    async answer(id, said, by) {
      const checkpoint = withId(id) ?? missing(`there is no checkpoint '${id}'`)
      const answer: CheckpointAnswer = { ...said, by: authorOf(by), at: clock.now() }
      const { group } = checkpoint
      const refused = group && refusedInGroup(checkpoint, answer.by, membersOf(group.path))
      const outcome = judgeAnswer(checkpoint, answer.at, refused)
      given.set(id, [...(given.get(id) ?? []), { ...answer, outcome }])
      if (!counts(outcome)) return { outcome, checkpoint }
      const answered = change(checkpoint, { state: answeredQuestion, answer })
      if (group !== null)
        for (const each of decidedBy(group, membersOf(group.path))) change(each, { state: 'decided' })
      return { outcome, checkpoint: answered }
    },
    answers: async (id) => given.get(id) ?? [],
  }
  return {
    store,
    all: () => [...byPath.values()],
    expire: (path) => {
      const checkpoint = atPath(path)
      if (checkpoint.state === openQuestion)
        change(checkpoint, { state: 'timed_out', timeoutAt: clock.now() })
    },
  }
}
