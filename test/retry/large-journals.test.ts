import { expect } from 'chai'
import type { JournalEntry } from '../../core/domain/run.ts'
import { carryOver } from '../../core/retry/carry-over.ts'
import { runSequentially } from '../../core/retry/retries.ts'
import { TocsinError } from '../../core/plugin/index.ts'
import { version } from './support.ts'

describe('a retry of a large run', () => {
  const items = 60_000
  const playbook = version(
    { steps: [{ id: 'each', foreach: '${{ range(2) }}', steps: [{ id: 'v', set: { v: 1 } }] }] },
    'a',
  )
  const entry = (path: string, kind: string): JournalEntry => ({
    path,
    stepId: path,
    kind,
    state: 'completed',
    input: null,
    output: kind === 'steps' ? { items } : { v: 1 },
    error: null,
    attempt: 1,
    startedAt: 1,
    endedAt: 2,
  })

  it('is computed in pieces that yield to other requests', async () => {
    const entries = Array.from({ length: items }, (_, n) => [
      entry(`each[${n}]/v`, 'set'),
      entry(`each[${n}]`, 'steps'),
    ]).flat()
    const whole = { playbook, inputs: {}, called: new Map<string, never>() }
    let served = 0
    const serve = setInterval(() => served++, 0)
    const steps = await carryOver({ error: null }, [...entries, entry('each', 'steps')], whole, whole)
    clearInterval(serve)
    expect(steps.filter(({ reason }) => reason === null)).to.have.length(2 * items + 1)
    expect(served).to.be.above(1)
  })

  it('defers some runs of a bulk retry, but never the first', async () => {
    const done: string[] = []
    const work = (uuid: string) => {
      done.push(uuid)
      return uuid === 'b' ? Promise.reject(new TocsinError('refused', 'no')) : Promise.resolve(uuid)
    }
    const results = await runSequentially(['a', 'b', 'c', 'd'], work, () => done.length >= 3)
    expect(results.map(({ runUuid }) => runUuid)).to.deep.equal(['a', 'b', 'c'])
    expect(await runSequentially(['x', 'y'], work, () => true)).to.have.length(1)
  })
})
