import { expect } from 'chai'
import { stringifyJson } from '../../core/common/json.ts'
import type { JournalBegin, JournalEnd } from '../../core/ports/runs/journal-store.ts'
import { expectRejection, queuedRun, unknownUuid, type GetSubject } from './fixture.ts'

const begin: JournalBegin = {
  path: 'outcome/0/isolate',
  stepId: 'isolate',
  kind: 'endpoint_security.isolate_machine',
  input: { machine: 'm1' },
  attempt: 1,
  startedAt: 100,
}
const end: JournalEnd = { state: 'completed', output: { ok: true }, error: null, attempt: 1, endedAt: 200 }
const error = { code: 'timeout', message: 'too slow', details: { after_ms: 5 } }

export function journalStoreContract(subject: GetSubject): void {
  describe('JournalStore', () => {
    let run: string
    beforeEach(async () => {
      run = (await queuedRun(subject(), null)).uuid
    })

    it('keeps the intent, then the result', async () => {
      const { journal } = subject().stores
      await journal.begin(run, begin)
      const started = { ...begin, state: 'started', output: null, error: null, endedAt: null }
      expect(await journal.entries(run)).to.deep.equal([started])
      await journal.end(run, begin.path, end)
      expect(await journal.entries(run)).to.deep.equal([{ ...begin, ...end }])
    })

    it('keeps the first intent and increases only its attempt', async () => {
      const { journal } = subject().stores
      await journal.begin(run, begin)
      await journal.begin(run, { ...begin, input: 'other', kind: 'other', startedAt: 999 })
      await journal.begin(run, { ...begin, input: 'other', attempt: 3, startedAt: 999 })
      await journal.begin(run, { ...begin, attempt: 2 })
      const [entry] = await journal.entries(run)
      expect(entry).to.deep.include({ ...begin, attempt: 3, state: 'started' })
      await journal.end(run, begin.path, { ...end, attempt: 3 })
      await journal.begin(run, { ...begin, attempt: 4 })
      expect((await journal.entries(run))[0]).to.deep.include({ ...end, attempt: 3 })
    })

    it('accepts only the first result', async () => {
      const { journal } = subject().stores
      await journal.begin(run, begin)
      const late: JournalEnd = { ...end, state: 'failed', output: null, error }
      const outcomes = await Promise.allSettled([
        journal.end(run, begin.path, end),
        journal.end(run, begin.path, late),
      ])
      expect(outcomes.map(({ status }) => status)).to.deep.equal(['fulfilled', 'rejected'])
      await expectRejection(journal.end(run, begin.path, late), 'ConflictError', 'step_has_ended')
      await expectRejection(journal.record(run, begin, late), 'ConflictError', 'step_has_ended')
      expect((await journal.entries(run))[0]).to.deep.include(end)
    })

    it('records work that needs no intent in one write', async () => {
      const { journal } = subject().stores
      const failure: JournalEnd = { state: 'failed', output: null, error, attempt: 1, endedAt: 101 }
      await journal.record(run, begin, failure)
      expect(await journal.entries(run)).to.deep.equal([{ ...begin, ...failure }])
    })

    it('ends a started step when its result is recorded', async () => {
      const { journal } = subject().stores
      await journal.begin(run, begin)
      await journal.record(run, { ...begin, input: 'other' }, end)
      expect(await journal.entries(run)).to.deep.equal([{ ...begin, ...end }])
    })

    it('lists entries in the order of their start, by run', async () => {
      const { journal } = subject().stores
      const other = (await queuedRun(subject(), null)).uuid
      await journal.begin(run, { ...begin, path: 'b' })
      await journal.begin(other, { ...begin, path: 'x' })
      await journal.begin(run, { ...begin, path: 'a' })
      await journal.end(run, 'a', end)
      expect((await journal.entries(run)).map(({ path }) => path)).to.deep.equal(['b', 'a'])
      expect((await journal.entries(other)).map(({ path }) => path)).to.deep.equal(['x'])
      expect(await journal.entries(unknownUuid)).to.deep.equal([])
    })

    it('returns every JSON value unchanged', async () => {
      const { journal } = subject().stores
      const values = [
        null,
        false,
        0,
        '',
        'a\u0000\ud800',
        [],
        {},
        JSON.parse('{"__proto__":{"x":1}}'),
        [1e21, -0.5],
        2n ** 63n,
        nested(2000),
      ]
      for (const [index, value] of values.entries()) {
        await journal.record(run, { ...begin, path: `p${index}`, input: value }, { ...end, output: value })
      }
      const entries = await journal.entries(run)
      expect(entries.map(({ output }) => stringifyJson(output))).to.deep.equal(
        values.map((v) => stringifyJson(v)),
      )
      expect(entries.map(({ input }) => stringifyJson(input))).to.deep.equal(
        values.map((v) => stringifyJson(v)),
      )
    })

    it('records failed attempts, each once', async () => {
      const { journal } = subject().stores
      await journal.begin(run, begin)
      const attempt = { path: begin.path, attempt: 1, error, startedAt: 100, endedAt: 150, retryAt: 2150 }
      await journal.attemptFailed(run, attempt)
      await journal.attemptFailed(run, { ...attempt, retryAt: 9999 })
      await journal.attemptFailed(run, { ...attempt, attempt: 2 })
      expect(await journal.failedAttempts(run)).to.deep.equal([attempt, { ...attempt, attempt: 2 }])
    })

    it('refuses the result of a step that has not begun, and writes to an unknown run', async () => {
      const { journal } = subject().stores
      await expectRejection(journal.end(run, 'nowhere', end), 'NotFoundError', 'step_not_begun')
      await expectRejection(journal.begin(unknownUuid, begin), 'NotFoundError', 'run_not_found')
    })
  })
}

function nested(depth: number): unknown {
  let value: unknown = 9_007_199_254_740_993n
  for (let level = 0; level < depth; level += 1) value = [value]
  return value
}
