import { expect } from 'chai'
import {
  afterCheck,
  confirmMs,
  mayCount,
  settleMs,
  type CheckedStanding,
} from '../../core/destructive/checks/containment-state.ts'
import { stateReading } from '../../core/destructive/checks/state-reading.ts'
import type { SeenState } from '../../core/destructive/checks/state-checks.ts'
import { discoverPlugins } from '../../core/registry/discover-plugins.ts'

const periodMs = 15 * 60_000
const began: CheckedStanding = {
  state: 'active',
  changedAt: 0,
  stateSeen: null,
  seenSince: null,
  stateCheckedAt: null,
  stateError: null,
  wasContained: false,
}

/** The containment after these checks, each as early as its predecessor asks for. */
function after(seen: readonly (SeenState | 'error')[], from: Partial<CheckedStanding> = {}) {
  let known: CheckedStanding = { ...began, ...from }
  let at = settleMs
  let outcome: ReturnType<typeof afterCheck> | undefined
  for (const one of seen) {
    const error = { code: 'bad_response', message: '<html>' }
    const check = one === 'error' ? { startedAt: at, error } : { startedAt: at, seen: one }
    outcome = afterCheck(known, check, { now: at, periodMs })
    const changedAt = outcome.state === known.state ? known.changedAt : at
    known = Object.assign({}, known, outcome, { changedAt })
    at = outcome.checkAt ?? at
  }
  return outcome!
}
const ends = (seen: readonly (SeenState | 'error')[], from?: Partial<CheckedStanding>) => {
  const { state, endedBy } = after(seen, from)
  return endedBy === undefined ? state : `${state} by ${endedBy}`
}

describe('the state of a containment after checks', () => {
  it('ends outside of Tocsin if it was seen in effect, and then twice not', () => {
    expect(ends(['contained', 'released'])).to.equal('active')
    expect(ends(['contained', 'released', 'released'])).to.equal('undone by outside')
    expect(ends(['contained', 'released', 'error', 'released'])).to.equal('undone by outside')
    for (const state of ['failed', 'overdue'] as const)
      expect(ends(['contained', 'released', 'released'], { state }), state).to.equal('undone by outside')
  })

  it('does not end because of an old value in between, or of an unclear one', () => {
    expect(ends(['contained', 'released', 'contained', 'released'])).to.equal('active')
    expect(ends(['contained', 'released', 'unclear', 'released'])).to.equal('active')
    expect(ends(['contained', 'unclear', 'unclear', 'unclear'])).to.equal('active')
  })

  it('stays if it was never seen in effect: an accepted action may wait for a machine that is offline', () => {
    expect(ends(['released', 'released', 'released', 'unclear', 'released', 'released'])).to.equal('active')
    expect(after(['released', 'released'])).to.include({ stateSeen: 'released', seenSince: settleMs })
  })

  it('is changed by no failed check, which is kept with the start of its message', () => {
    expect(after(['contained', 'error'])).to.deep.include({ state: 'active', stateSeen: 'contained' })
    const long = { code: 'x', message: '<html>'.repeat(1_000) }
    const { stateError } = afterCheck(began, { startedAt: 1, error: long }, { now: 1, periodMs })
    expect(stateError?.message).to.have.length(500)
    expect(after(['error', 'contained']).stateError).to.equal(null)
  })

  it('tells after a call with unknown outcome whether that undid it', () => {
    expect(ends(['contained'], { state: 'unknown' })).to.equal('unknown')
    expect(ends(['contained', 'contained'], { state: 'unknown' })).to.equal('active')
    const seen = { state: 'unknown', wasContained: true } as const
    expect(ends(['released', 'released'], seen)).to.equal('undone by unknown')
    expect(ends(['released', 'released'], { state: 'unknown' })).to.equal('unknown')
  })

  it('does not count a check from before the last change as the first of two', () => {
    const old = { stateSeen: 'released', seenSince: 0, wasContained: true, changedAt: 1_000_000 } as const
    const one = { startedAt: 1_000_000 + settleMs, seen: 'released' } as const
    expect(afterCheck({ ...began, ...old }, one, { now: one.startedAt, periodMs }).state).to.equal('active')
  })

  it('is looked at again after a minute if that is enough for a conclusion, else after the period', () => {
    expect(after(['contained', 'released']).checkAt).to.equal(settleMs + periodMs + confirmMs)
    expect(after(['contained']).checkAt).to.equal(settleMs + periodMs)
    expect(after(['error']).checkAt).to.equal(settleMs + periodMs)
    expect(after(['contained', 'released', 'released']).checkAt).to.equal(null)
  })

  it('counts only checks that began when it had settled, and while no run undoes it', () => {
    expect(mayCount({ state: 'active', changedAt: 0 }, settleMs - 1)).to.equal(false)
    expect(mayCount({ state: 'active', changedAt: 0 }, settleMs)).to.equal(true)
    for (const state of ['undoing', 'undone'] as const)
      expect(mayCount({ state, changedAt: 0 }, settleMs), state).to.equal(false)
  })
})

describe('the reading of a state', () => {
  it('is a call of the plugin, whose output says contained, released or neither', async () => {
    const { skill } = await discoverPlugins({ pluginsDir: `${import.meta.dirname}/../../plugins` })
    const reading = stateReading(skill('sentinelone.disconnect_agent'), { input: { agent_id: '7' } })!
    expect(reading).to.deep.include({ skill: 'sentinelone.get_agent', input: { agent_id: '7' } })
    const says = (network_status: string) =>
      reading.says({ found: true, disconnected: network_status === 'disconnected', network_status })
    expect(says('disconnected')).to.equal('contained')
    expect(says('connected')).to.equal('released')
    for (const pending of ['connecting', 'disconnecting', 'rebooting'])
      expect(says(pending), pending).to.equal('unclear')
    for (const nonsense of [null, {}, '<html>', { disconnected: 'yes' }])
      expect(reading.says(nonsense)).to.equal('unclear')
    const ioc = stateReading(skill('crowdstrike.create_ioc'), { input: { value: 'x', type: 'domain' } })!
    expect(ioc.says({ iocs: [{ ioc_id: 'a' }], complete: true }), 'without the output').to.not.equal(
      'contained',
    )
    expect(stateReading(skill('entra_id.enable_user'), { input: { user: 'eve' } })).to.equal(undefined)
    expect(stateReading(undefined, { input: {} })).to.equal(undefined)
  })
})
