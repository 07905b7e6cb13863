import { expect } from 'chai'
import type { ApiRun, ApiStep } from '../../server/web/api/types.ts'
import { previousEffects, lastRun } from '../../server/web/alerts/previous-effects.ts'

const step = (kind: string, changes: Partial<ApiStep> = {}): ApiStep => ({
  path: `steps/${kind}`,
  step_id: null,
  name: kind,
  kind,
  state: 'completed',
  attempt: 1,
  started_at: 1,
  ended_at: 2,
  input: { host: 'ws-1' },
  output: {},
  error: null,
  resolution: null,
  carried_from: null,
  failed_attempts: [],
  ...changes,
})

const reads = new Set(['edr.find'])
const told = (...steps: ApiStep[]) => previousEffects(steps, reads).map(({ skill, text }) => [skill, text])

describe('previousEffects', () => {
  it('are the writes with their inputs, also those reused by a retry, without look-ups', () => {
    expect(
      previousEffects([step('edr.find'), step('set'), step('edr.isolate', { carried_from: 'run' })], reads),
    ).to.deep.equal([
      { path: 'steps/edr.isolate', skill: 'edr.isolate', input: { host: 'ws-1' }, text: 'Done' },
    ])
  })

  it('include skills that are no longer installed', () => {
    expect(told(step('gone.skill'))).to.deep.equal([['gone.skill', 'Done']])
  })

  it('may have taken effect if they have no result', () => {
    const attempt = {
      attempt: 1,
      started_at: 1,
      ended_at: 2,
      retry_at: 3_000,
      error: { code: 'x', message: '' },
    }
    expect(
      told(
        step('a.unknown', { state: 'unknown' }),
        step('a.failed', { state: 'failed' }),
        step('a.tried', { state: 'skipped', failed_attempts: [attempt] }),
        step('a.never', { state: 'skipped' }),
      ),
    ).to.deep.equal([
      ['a.unknown', 'May have taken effect'],
      ['a.failed', 'Failed; may still have taken effect'],
      ['a.tried', 'May have taken effect'],
    ])
  })

  it('list the items of a foreach, not the loop', () => {
    expect(told(step('edr.isolate', { input: null }))).to.deep.equal([])
  })
})

describe('lastRun', () => {
  it('is the newest that started for the alert itself', () => {
    const run = (uuid: string, about: string, at: number, started: number | null = at) =>
      ({ run_uuid: uuid, alert_id: about, created_at: at, started_at: started }) as ApiRun
    const runs = [
      run('queued', 'a-1', 9, null),
      run('old', 'a-1', 1),
      run('new', 'a-1', 5),
      run('other', 'a-2', 8),
    ]
    expect(lastRun('a-1', runs)?.run_uuid).to.equal('new')
    expect(lastRun('a-3', runs)).to.equal(undefined)
  })
})
