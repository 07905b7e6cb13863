import { expect } from 'chai'
import { MemoryState } from '../../core/state/memory-state.ts'
import { stateLimits, type StateChange, type StateRule } from '../../core/state/state.ts'

const rule = (changes: Partial<StateRule> = {}): StateRule => ({
  kind: 'value',
  schema: { type: 'string' },
  default: undefined,
  expiresMs: undefined,
  max: 10,
  whenFull: 'drop_oldest',
  onMismatch: 'fail',
  sensitive: false,
  ...changes,
})

describe('the state of a playbook', () => {
  let memory: MemoryState
  let now: number
  beforeEach(() => {
    memory = new MemoryState()
    now = Date.UTC(2026, 0, 1)
  })

  function use(of: StateRule, change: StateChange, name = 's', playbook = 'p'): unknown {
    const outcome = memory.apply({ playbook, name, rule: of, change }, now)
    return outcome.state === 'failed' ? outcome.error.code : outcome.output
  }
  const read = (of: StateRule): unknown => {
    const outcome = memory.apply({ playbook: 'p', read: { s: of } }, now)
    return outcome.state === 'failed' ? outcome.error.code : outcome.output
  }

  it('counts no expired entries against the limit of bytes', () => {
    const large = rule({ kind: 'map', max: 1_000, expiresMs: 1_000 })
    const value = 'x'.repeat(60_000)
    const set = (key: number): unknown => use(large, { operation: 'set', key: `k${key}`, value })
    const fits = Math.floor(stateLimits.playbookBytes / 60_004)
    for (let key = 100; key < 100 + fits; key++) expect(set(key)).to.have.property('ok', true)
    expect(set(999)).to.equal('state_quota_reached')
    now += 1_000
    expect(set(999)).to.have.property('ok', true)
    expect(memory.entries('p', 's')).to.have.property('size', 1)
  })

  it('sets and deletes a value, which is absent or the default before', () => {
    const withDefault = rule({ default: { value: 'start' } })
    expect(read(rule())).to.deep.equal({})
    expect(read(withDefault)).to.deep.equal({ s: 'start' })
    expect(use(rule(), { operation: 'set', value: 'a' })).to.deep.equal({ ok: true, value: 'a' })
    expect(read(withDefault)).to.deep.equal({ s: 'a' })
    expect(use(rule(), { operation: 'delete' })).to.deep.equal({ deleted: true })
    expect(use(rule(), { operation: 'delete' })).to.deep.equal({ deleted: false })
    expect(read(withDefault)).to.deep.equal({ s: 'start' })
  })

  it('compares before it sets, and returns the current value otherwise', () => {
    const set = (value: string, expected: unknown) =>
      use(rule(), { operation: 'set', value, expected: { value: expected } })
    expect(set('a', 'x')).to.deep.equal({ ok: false, value: null })
    expect(set('a', null)).to.deep.equal({ ok: true, value: 'a' })
    expect(set('b', null)).to.deep.equal({ ok: false, value: 'a' })
    expect(set('b', 'a')).to.deep.equal({ ok: true, value: 'b' })
  })

  it('counts within the window of the first increment', () => {
    const counters = rule({ kind: 'counters', schema: undefined, expiresMs: 1_000 })
    const increment = () => use(counters, { operation: 'increment', key: 'ana', by: 1 })
    expect(increment()).to.deep.equal({ value: 1 })
    now += 999
    expect(increment()).to.deep.equal({ value: 2 })
    now += 1
    expect(use(counters, { operation: 'get', key: 'ana' })).to.deep.equal({ value: 0 })
    expect(increment()).to.deep.equal({ value: 1 })
  })

  it('refuses numbers that are not whole or not exact', () => {
    const counter = rule({ kind: 'counter', schema: undefined })
    expect(use(counter, { operation: 'increment', by: 0.5 })).to.equal('state_value_invalid')
    expect(use(counter, { operation: 'increment', by: 'x' as never })).to.equal('state_value_invalid')
    expect(use(counter, { operation: 'set', value: Number.MAX_SAFE_INTEGER })).to.include({ ok: true })
    expect(use(counter, { operation: 'increment', by: 1 })).to.equal('state_value_invalid')
    expect(read(counter)).to.deep.equal({ s: Number.MAX_SAFE_INTEGER })
  })

  it('tells whether a key of a set is new, until it expires', () => {
    const set = rule({ kind: 'set', schema: undefined, expiresMs: 1_000 })
    const at = '2026-01-01T00:00:00.000Z'
    expect(use(set, { operation: 'get', key: 'a' })).to.deep.equal({ found: false, added_at: null })
    expect(use(set, { operation: 'add', key: 'a' })).to.deep.equal({ new: true, added_at: at })
    now += 999
    expect(use(set, { operation: 'add', key: 'a' })).to.deep.equal({ new: false, added_at: at })
    expect(use(set, { operation: 'get', key: 'a' })).to.deep.equal({ found: true, added_at: at })
    now += 1
    expect(use(set, { operation: 'get', key: 'a' })).to.deep.equal({ found: false, added_at: null })
    expect(use(set, { operation: 'add', key: 'a' })).to.include({ new: true })
  })

  it('bounds keys, values, entries, playbooks and organizations', () => {
    const map = rule({ kind: 'map', max: 2, whenFull: 'fail' })
    const set = (key: string, value: unknown, name = 's', playbook = 'p') =>
      use(map, { operation: 'set', key, value }, name, playbook)
    expect(set('', 'x')).to.equal('state_key_invalid')
    expect(set('k'.repeat(stateLimits.keyLength + 1), 'x')).to.equal('state_key_invalid')
    expect(set(7 as never, 'x')).to.equal('state_key_invalid')
    expect(set('a', 'x'.repeat(10 * 1_048_576))).to.equal('state_too_large')
    expect(set('a', 1)).to.equal('state_value_invalid')
    expect([set('a', 'x'), set('b', 'x'), set('c', 'x')].at(-1)).to.equal('state_full')
    expect(set('a', 'y')).to.include({ ok: true })

    const large = rule({ kind: 'map', max: 100_000 })
    const value = 'x'.repeat(stateLimits.valueBytes - 100)
    const fill = (playbook: string) => {
      for (let n = 0; ; n++) {
        const outcome = use(large, { operation: 'set', key: `k${n}`, value }, 'large', playbook)
        if (typeof outcome === 'string') return { outcome, n }
      }
    }
    const most = Math.floor(stateLimits.playbookBytes / stateLimits.valueBytes)
    expect(fill('first').n).to.be.within(most, most + 1)
    let playbooks = 1
    while (fill(`other${playbooks}`).n > 200) playbooks++
    expect(playbooks).to.be.within(15, 17)
    expect(use(large, { operation: 'delete', key: 'k0' }, 'large', 'first')).to.deep.equal({ deleted: true })
  })

  it('fails on a stored value that no longer fits its declaration, or resets it', () => {
    use(rule(), { operation: 'set', value: 'seven' })
    const changed = rule({ schema: { type: 'integer' } })
    expect(read(changed)).to.equal('state_mismatch')
    const outcome = memory.apply({ playbook: 'p', read: { s: changed } }, now)
    if (outcome.state !== 'failed') throw new Error('it did not fail')
    expect(outcome.error.message).to.equal(
      "the stored state 's' does not fit its declaration: a stored value does not fit its schema",
    )
    expect(outcome.error.hint).to.equal(
      'reset it with tocsin state reset p s or on the page of the playbook, or declare on_mismatch: reset',
    )
    const lenient = rule({ schema: { type: 'integer' }, onMismatch: 'reset', default: { value: 1 } })
    expect(read(lenient)).to.deep.equal({ s: 1 })
    expect(use(rule({ kind: 'set', schema: undefined }), { operation: 'add', key: 'a' })).to.equal(
      'state_mismatch',
    )
    expect(
      use(rule({ kind: 'set', schema: undefined, onMismatch: 'reset' }), { operation: 'add', key: 'a' }),
    ).to.include({ new: true })
  })

  it('does not show a sensitive value to a version that no longer declares it sensitive', () => {
    use(rule({ sensitive: true }), { operation: 'set', value: 'secret' })
    expect(read(rule())).to.equal('state_mismatch')
  })
})
