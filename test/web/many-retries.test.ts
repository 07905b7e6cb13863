import { expect } from 'chai'
import { effectsOfMany, refusalsOfMany, retriesOf } from '../../server/web/runs/retry/many-retries.ts'

const effect = (skill: string, repeat: 'safe' | 'never') => ({
  path: `steps/${skill}`,
  skill,
  input: {},
  took_effect: 'yes' as const,
  reason: 'failed',
  repeat,
})

describe('preview of many retries', () => {
  it('tells alike effects once, with the number of runs, the most frequent first', () => {
    const run = (uuid: string, ...repeats: ReturnType<typeof effect>[]) => ({
      run_uuid: uuid,
      playbook: 'p',
      plan: `plan of ${uuid}`,
      repeats,
      error: null,
    })
    const data = [
      run('1', effect('a.tell', 'safe')),
      run('2', effect('a.isolate', 'never'), effect('a.isolate', 'never')),
      run('3', effect('a.isolate', 'never')),
    ]
    expect(effectsOfMany({ data, left: 0 }).map(({ skill, runs }) => [skill, runs])).to.deep.equal([
      ['a.isolate', 2],
      ['a.tell', 1],
    ])
  })

  it('tells what each run would do again: which machine, which user', () => {
    const isolated = (uuid: string, host: string) => ({
      run_uuid: uuid,
      playbook: 'p',
      plan: `plan of ${uuid}`,
      repeats: [{ ...effect('a.isolate', 'never'), input: { host } }],
      error: null,
    })
    const [found] = effectsOfMany({ data: [isolated('1', 'ws-1'), isolated('2', 'ws-2')], left: 0 })
    expect(found?.inputs).to.deep.equal([
      { run: '1', input: { host: 'ws-1' } },
      { run: '2', input: { host: 'ws-2' } },
    ])
  })

  it('is of exactly the runs that are retried, and of what they then do: those that can go on', () => {
    const refused = { code: 'x', message: 'gone' }
    const data = [null, refused, null].map((error, index) => ({
      run_uuid: `run ${index}`,
      playbook: 'p',
      plan: error === null ? `plan ${index}` : null,
      repeats: [],
      error,
    }))
    expect(retriesOf({ data, left: 7 })).to.deep.equal({
      runs: ['run 0', 'run 2'],
      plans: ['plan 0', 'plan 2'],
    })
  })

  it('tells each reason of a refusal once, with what to do where that is known', () => {
    const gone = { code: 'x', message: 'gone', hint: 'send it again' }
    const other = { code: 'y', message: 'it has not ended' }
    const data = [gone, other, gone, null].map((error) => ({ error }))
    expect(refusalsOfMany(data)).to.deep.equal(['2 × send it again', '1 × it has not ended'])
  })
})
