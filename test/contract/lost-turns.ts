import { expect } from 'chai'
import type { Question } from '../../core/domain/checkpoint.ts'
import type { StateRequest } from '../../core/state/state.ts'
import type { Stores } from '../../core/ports/stores.ts'
import { duringTurn } from '../../core/ports/runs/turn.ts'
import { completed, expectRejection, queuedRun, startedRun, type GetSubject } from './fixture.ts'
import { somebody } from '../support/somebody.ts'

const question: Question = { via: 'operator', input: {}, answers: ['yes'], form: null }
const begin = { path: 'b', stepId: 'b', kind: 'x.do', input: null, attempt: 1, startedAt: 1 }
const end = { state: 'completed', output: null, error: null, attempt: 1, endedAt: 2 } as const
const failed = {
  path: 'a',
  attempt: 1,
  error: { code: 'x', message: 'y' },
  startedAt: 1,
  endedAt: 2,
  retryAt: 3,
}
const rated = { limit: { requests: 1, perMs: 1_000 }, key: null, playbook: 'x', stepId: 'a' }
const uses = {
  class: 'containment',
  skill: 'x.do',
  paths: ['c'],
  inputs: [{}],
  checks: { limits: { blocking: 1, containment: 1, deletion: 1, execution: 1 } },
} as const
const increment: StateRequest = {
  playbook: 'x',
  name: 'count',
  rule: {
    kind: 'counter',
    schema: undefined,
    default: undefined,
    expiresMs: undefined,
    max: 1,
    whenFull: 'fail',
    onMismatch: 'fail',
    sensitive: false,
  },
  change: { operation: 'increment', by: 1 },
}

type Write = (stores: Stores, run: string) => Promise<unknown>

/** Every write of a turn. The run has a begun step `a`, a question at `q` and a wait at `w`. */
const writes: Readonly<Record<string, Write>> = {
  'runs.openCase': ({ runs }, run) => runs.openCase(run, { title: 'x' }),
  'runs.park': ({ runs }, run) => runs.park(run, 5),
  'runs.end': ({ runs }, run) => runs.end(run, completed),
  'journal.begin': ({ journal }, run) => journal.begin(run, begin),
  'journal.reserve': ({ journal }, run) => journal.reserve(run, uses),
  'journal.release': ({ journal }, run) => journal.release(run, ['c']),
  'journal.admit': ({ journal }, run) => journal.admit(run, 'a', rated, true),
  'journal.withdraw': ({ journal }, run) => journal.withdraw(run, 'a'),
  'journal.attemptFailed': ({ journal }, run) => journal.attemptFailed(run, failed),
  'journal.end': ({ journal }, run) => journal.end(run, 'a', end),
  'journal.record': ({ journal }, run) => journal.record(run, begin, end),
  'journal.recordState': ({ journal }, run) => journal.recordState(run, begin, increment),
  'journal.park': ({ journal }, run) => journal.park(run, 'a'),
  'checkpoints.open': ({ checkpoints }, run) =>
    checkpoints.open(run, { ...begin, question, timeoutAt: 9e15 }),
  'checkpoints.storeConnection': ({ checkpoints }, run) => checkpoints.storeConnection(run, 'q', 'slack'),
  'checkpoints.asked': ({ checkpoints }, run) => checkpoints.asked(run, 'q', { id: 1 }),
  'checkpoints.close': ({ checkpoints }, run) => checkpoints.close(run, 'q', 'withdrawn'),
  'eventWaits.open': ({ eventWaits }, run) =>
    eventWaits.open(run, {
      path: 'v',
      filter: { kind: 'alert', types: null, provider: null },
      sinceRun: false,
    }),
  'eventWaits.next': ({ eventWaits }, run) => eventWaits.next(run, 'w', 1),
  'eventWaits.pass': ({ eventWaits }, run) =>
    eventWaits.pass(run, 'w', 1, { examined: 1, failed: 0, lastFailure: null, misses: 1 }),
  'eventWaits.arm': ({ eventWaits }, run) => eventWaits.arm(run, 'w'),
}

export function lostTurnsContract(subject: GetSubject): void {
  async function withWork(): Promise<string> {
    const { stores } = subject()
    const { uuid } = await startedRun(subject(), null)
    await stores.journal.begin(uuid, { ...begin, path: 'a', stepId: 'a' })
    await stores.checkpoints.open(uuid, { path: 'q', stepId: 'q', question, timeoutAt: 9e15 })
    const filter = { kind: 'alert', types: null, provider: null } as const
    await stores.eventWaits.open(uuid, { path: 'w', filter, sinceRun: false })
    return uuid
  }
  const takenAgain = async (uuid: string): Promise<number> => {
    const { runs } = subject().stores
    await runs.recover()
    const taken = await runs.take(uuid)
    return taken !== undefined && 'turn' in taken ? taken.turn : expect.fail('no turn')
  }
  const stateOf = async (uuid: string) => {
    const { stores, acme } = subject()
    const [run, entries, question] = await Promise.all([
      stores.runs.find('all', uuid),
      stores.journal.entries(uuid),
      stores.checkpoints.atPath(uuid, 'q'),
    ])
    const failures = await stores.journal.failedAttempts(uuid)
    const due = await stores.runs.due(acme.uuid, 10)
    return { run, entries, question, failures, due }
  }

  describe('turns that are over', () => {
    for (const [name, write] of Object.entries(writes)) {
      it(`are refused by ${name}, which changes nothing; the current turn is not`, async () => {
        const { stores } = subject()
        const uuid = await withWork()
        const number = await takenAgain(uuid)
        const before = await stateOf(uuid)
        for (const late of [1, number - 1]) {
          const rejected = duringTurn({ run: uuid, number: late }, () => write(stores, uuid))
          await expectRejection(rejected, 'ConflictError', 'turn_lost')
        }
        expect(await stateOf(uuid)).to.deep.equal(before)
        await duringTurn({ run: uuid, number }, () => write(stores, uuid))
      })
    }

    it('are refused as soon as another process takes over, before it gives the run a turn', async () => {
      const { stores } = subject()
      const { uuid } = await startedRun(subject(), null)
      await stores.runs.recover()
      const late = duringTurn({ run: uuid, number: 1 }, () => stores.journal.begin(uuid, begin))
      await expectRejection(late, 'ConflictError', 'turn_lost')
    })

    it('are refused by the start of a queued run that another process has taken', async () => {
      const { stores } = subject()
      const { uuid } = await queuedRun(subject(), null)
      const taken = await stores.runs.take(uuid)
      expect(taken).to.deep.include({ turn: 2 })
      const late = duringTurn({ run: uuid, number: 1 }, () => stores.runs.start(uuid, { title: 'x' }))
      await expectRejection(late, 'ConflictError', 'turn_lost')
      expect(await stores.runs.find('all', uuid)).to.deep.include({ status: 'queued' })
      await duringTurn({ run: uuid, number: 2 }, () => stores.runs.start(uuid, { title: 'x' }))
    })

    it('do not keep people, and other runs, from writing', async () => {
      const { stores } = subject()
      const uuid = await withWork()
      const other = await withWork()
      await takenAgain(uuid)
      await duringTurn({ run: uuid, number: 1 }, () => stores.journal.end(other, 'a', end))
      const decision = { decision: 'skip', output: null, by: somebody('anna') } as const
      await stores.journal.park(uuid, 'a')
      await duringTurn({ run: uuid, number: 1 }, () => stores.journal.resolve(uuid, 'a', decision))
      await duringTurn({ run: uuid, number: 1 }, () => stores.runs.cancel('all', uuid, somebody('anna')))
    })
  })
}
