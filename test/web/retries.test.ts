import { expect } from 'chai'
import type { RunStatus } from '../../core/domain/run.ts'
import {
  retryOffer,
  effectsOfMany,
  refusalsOfMany,
  retriesOf,
  failedFilter,
} from '../../server/web/runs/retries.ts'

const run = (status: RunStatus) => ({ status, pruned_at: null, retried_by: null, playbook_hash: 'ran' })

describe('retryOffer', () => {
  it('offers a newer version for a completed run, if one is live', () => {
    const offered = (hash: string, isInForce: boolean) =>
      retryOffer(run('completed'), { hash, in_force: isInForce })
    expect(offered('newer', true)).to.equal('newer')
    expect(offered('ran', true), 'the version that ran').to.equal(null)
    expect(offered('newer', false), 'a version that nothing starts').to.equal(null)
    expect(retryOffer(run('completed'), undefined), 'not known yet').to.equal(null)
  })

  it('offers the failed step for failed and cancelled runs', () => {
    expect(retryOffer(run('failed'), undefined)).to.equal('failed')
    expect(retryOffer(run('cancelled'), { hash: 'ran', in_force: true })).to.equal('failed')
  })

  it('offers nothing for active, retried and pruned runs', () => {
    const newest = { hash: 'newer', in_force: true }
    for (const status of ['queued', 'running', 'waiting'] as const)
      expect(retryOffer(run(status), newest), status).to.equal(null)
    for (const status of ['failed', 'completed'] as const) {
      expect(retryOffer({ ...run(status), retried_by: 'next' }, newest), status).to.equal(null)
      expect(retryOffer({ ...run(status), pruned_at: 1 }, newest), status).to.equal(null)
    }
  })
})

const effect = (skill: string, repeat: 'safe' | 'never') => ({
  path: `steps/${skill}`,
  skill,
  input: {},
  took_effect: 'yes' as const,
  reason: 'failed',
  repeat,
})

describe('preview of many retries', () => {
  it('groups equal actions with the number of runs, most frequent first', () => {
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

  it('lists the inputs of each run', () => {
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

  it('covers exactly the runs and plans that are retried', () => {
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

  it('groups reasons of refusals, with their hints', () => {
    const gone = { code: 'x', message: 'gone', hint: 'send it again' }
    const other = { code: 'y', message: 'it has not ended' }
    const data = [gone, other, gone, null].map((error) => ({ error }))
    expect(refusalsOfMany(data)).to.deep.equal(['2 × send it again', '1 × it has not ended'])
  })
})

const now = 100 * 86_400_000

describe('retrying all listed failed runs', () => {
  it('is offered for filters that the API accepts', () => {
    const listed = { status: 'failed', playbook: 'p' }
    expect(failedFilter({ ...listed, sort: 'created_at' }, now)).to.deep.equal({ playbook: 'p' })
    expect(
      failedFilter({ ...listed, error: 'x', created_after: '5', created_before: '9' }, now),
    ).to.deep.equal({
      playbook: 'p',
      error: 'x',
      created_after: 5,
      created_before: 9,
    })
    expect(failedFilter({ ...listed, since: '24h' }, now)).to.deep.equal({
      playbook: 'p',
      created_after: 99 * 86_400_000,
    })
  })

  it('is not offered for other filters', () => {
    for (const others of [
      { status: 'failed' },
      { status: 'completed', playbook: 'p' },
      { status: 'failed', playbook: 'p', organization: 'main' },
      { status: 'failed', playbook: 'p', alert: 'main-custom-1' },
      { status: 'failed', playbook: 'p', since: 'ever' },
      { status: 'failed', playbook: 'p', created_before: 'noon' },
    ])
      expect(failedFilter(others, now), JSON.stringify(others)).to.equal(undefined)
  })
})
