import { expect } from 'chai'
import type { Run, Step } from '../../server/web/api/types.ts'
import { lastEffects, lastRun } from '../../server/web/alerts/last-effects.ts'

const step = (kind: string, changes: Partial<Step> = {}): Step => ({
  path: `steps/${kind}`,
  step_id: null,
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
const told = (...steps: Step[]) => lastEffects(steps, reads).map(({ skill, text }) => [skill, text])

describe('lastEffects', () => {
  it('are the writes with what they were given, also those that a retry carried over, and no look-ups', () => {
    expect(
      lastEffects([step('edr.find'), step('set'), step('edr.isolate', { carried_from: 'run' })], reads),
    ).to.deep.equal([
      { path: 'steps/edr.isolate', skill: 'edr.isolate', input: { host: 'ws-1' }, text: 'Done' },
    ])
  })

  it('are those of skills that are not installed, which may have done anything', () => {
    expect(told(step('gone.skill'))).to.deep.equal([['gone.skill', 'Done']])
  })

  it('say of what has no result that it may have been done', () => {
    const attempt = {
      attempt: 1,
      started_at: 1,
      ended_at: 2,
      retry_at: null,
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

  it('are none of a whole foreach, whose items stand for themselves', () => {
    expect(told(step('edr.isolate', { input: null }))).to.deep.equal([])
  })
})

describe('lastRun', () => {
  it('is the newest that began about the alert itself', () => {
    const run = (uuid: string, about: string, at: number, started: number | null = at) =>
      ({ run_uuid: uuid, alert_id: about, created_at: at, started_at: started }) as Run
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
