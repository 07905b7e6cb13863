import { expect } from 'chai'
import { check, parsed, withSteps } from './support.ts'

const declared = `state:
  cursor: { type: string }
  at: { type: timestamp, default: 2026-01-01T00:00:00Z }
  total: { kind: counter }
  seen: { kind: set, expires: 7d }
  owners: { kind: map, type: string }
  strikes: { kind: counters }
  secret: { type: string, sensitive: true }
`
/** Code, message and hint of each error. */
const problemsOf = (step: string, state = declared) =>
  check(withSteps(step, state))
    .filter(({ severity }) => severity === 'error')
    .map(({ code, message, hint }) => `${code} ${message}${hint === undefined ? '' : ` | ${hint}`}`)
const step = (operation: string) =>
  problemsOf(`  - id: s\n    state: { ${operation} }\n  - return: '\${{ steps.s.output }}'`)
const reads = (expression: string) => problemsOf(`  - set: { x: '\${{ ${expression} }}' }`)
const declaring = (state: string) => problemsOf('  - return: 1', `state: { a: ${state} }\n`)

describe('the state of a playbook', () => {
  it('is read with the declared types and defaults', () => {
    const { state } = parsed(withSteps('  - return: 1', declared))
    expect(state.get('seen')).to.deep.include({ kind: 'set', expiresMs: 604_800_000, max: 10_000 })
    expect(state.get('owners')).to.deep.include({
      kind: 'map',
      schema: { type: 'string' },
      whenFull: 'drop_oldest',
    })
    expect(state.get('secret')?.sensitive).to.equal(true)
  })

  it('accepts each operation of each kind, with typed outputs', () => {
    const steps = `
  - state: { set: cursor, value: a }
  - { id: compared, state: { set: cursor, value: b, expected: '\${{ state.?cursor.orValue(null) }}' } }
  - state: { set: at, value: '\${{ now }}' }
  - state: { delete: cursor }
  - { id: counted, state: { increment: total, by: -2 } }
  - state: { set: total, value: 0 }
  - { id: first, state: { add: seen, key: '\${{ alert.id }}' } }
  - { id: known, state: { get: seen, key: a } }
  - state: { delete: seen, key: a }
  - state: { set: owners, key: a, value: kim }
  - { id: owner, state: { get: owners, key: a } }
  - { id: strike, state: { increment: strikes, key: a } }
  - { id: strikes, state: { get: strikes, key: a } }
  - state: { set: secret, value: '\${{ state.?secret.orValue("") }}' }
  - return:
      - >-
        \${{ steps.compared.output.ok ? steps.counted.output.value + 1 : state.total }}
      - >-
        \${{ steps.first.output.new ? steps.first.output.added_at + duration("1h") : state.at }}
      - >-
        \${{ steps.known.output.found && steps.known.output.added_at != null ? steps.known.output.added_at : now }}
      - >-
        \${{ steps.owner.output.value == null ? "" : steps.owner.output.value }}
      - >-
        \${{ steps.strike.output.value + steps.strikes.output.value }}`
    expect(problemsOf(steps)).to.deep.equal([])
  })

  it('names mistakes in steps, with a hint', () => {
    expect(step('add: sene, key: a')).to.deep.equal([`E340 unknown state 'sene' | did you mean 'seen'?`])
    expect(problemsOf('  - state: { add: seen, key: a }', '')).to.deep.equal([
      `E340 unknown state 'seen' | declare it at the top: state: { seen: { … } }`,
    ])
    expect(step('increment: cursor')).to.deep.equal([
      `E341 'cursor' is a value, which has no \`increment\` | possible: set, delete`,
    ])
    expect(step('get: total')).to.deep.equal([
      `E341 'total' is a counter, which has no \`get\` | read it in an expression: state.total`,
    ])
    expect(step('add: seen')).to.deep.equal([
      `E341 'seen' has entries: \`key\` is missing | add key: '\${{ … }}'`,
    ])
    expect(step('increment: total, key: a')).to.deep.equal([
      `E341 'total' is a counter, which has no entries | leave out the key`,
    ])
    expect(step("add: seen, key: '${{ alert.id.size() }}'")).to.deep.equal([
      'E341 expected a string for `key`, found a whole number | write string(…)',
    ])
    expect(step('set: cursor')).to.deep.equal(['E105 `set` needs `value` | add value: the new value'])
    expect(step('set: cursor, value: 5')).to.deep.equal([
      `E342 expected a string for 'value', found the number 5 | put it into quotes: "5"`,
    ])
    expect(step('increment: total, by: x')[0]).to.match(/^E342 expected an? (integer|whole number)/)
    expect(step('add: seen, key: a, value: b')).to.deep.equal([
      'E112 `value` does not belong to `add` | write key',
    ])
    expect(step('add: seen, get: seen, key: a')[0]).to.match(
      /^E109 `state` has one operation; found `add` and `get`/,
    )
    expect(step('key: a')[0]).to.match(/^E109 `state` has no operation/)
    expect(problemsOf('  - { state: { increment: total }, retry: { max: 1 } }')).to.deep.equal([
      'E112 `retry` does not belong to a step with `state` | use it with `uses`',
    ])
  })

  it('names mistakes in expressions', () => {
    expect(reads('state.cursor')[0]).to.match(/^E206 state.cursor may be missing/)
    expect(reads('state.totl')).to.deep.equal([`E205 state has no field 'totl' | did you mean total?`])
    expect(reads('state.seen')).to.deep.equal([
      `E205 state has no field 'seen' | read an entry of a set with a step: state: { get: seen, key: … }`,
    ])
    expect(problemsOf("  - set: { x: '${{ state.a }}' }", '')[0])
      .to.include('E204')
      .and.include('under `state`')
    expect(reads('state.total + "a"')[0]).to.match(/^E203/)
  })

  it('names mistakes in declarations, each once', () => {
    expect(declaring('{ kind: sett }')).to.deep.equal([
      `E107 'sett' is not one of value, counter, set, map, counters | did you mean 'set'?`,
    ])
    expect(declaring('{ kind: set, type: string }')).to.deep.equal([
      `E104 unknown key 'type' in a state of kind set | leave it out: a set has keys only`,
    ])
    expect(declaring('{ kind: counter, expire: 7d }')).to.deep.equal([
      `E104 unknown key 'expire' in a state of kind counter | did you mean 'expires'?`,
    ])
    expect(declaring('{ type: string, max: 3 }')[0]).to.match(
      /^E112 `max` does not belong to a state of kind value/,
    )
    expect(declaring('{ kind: set, max: 1000000 }')[0]).to.match(/^E107 `max` must be between 1 and 100000/)
    expect(declaring('{ kind: set, expires: soon }')[0]).to.match(/^E107 invalid duration 'soon'/)
    expect(declaring('{ type: string, default: 5 }')[0]).to.match(/^E308/)
    expect(declaring('string')[0]).to.match(/^E106 expected a map for a state/)
    expect(problemsOf('  - return: 1', 'state: [a]\n')[0]).to.match(/^E106 expected a map of states/)
    expect(problemsOf('  - return: 1', 'state: { A-b: { type: string } }\n')[0]).to.match(
      /^E107 invalid name of a state/,
    )
    const many = Array.from({ length: 51 }, (_, n) => `  s${n}: { kind: counter }\n`).join('')
    expect(problemsOf('  - return: 1', `state:\n${many}`)[0]).to.match(
      /^E107 a playbook may declare 50 states/,
    )
  })

  it('keeps sensitive values only where they are declared sensitive, also as keys', () => {
    const leak = '${{ state.?secret.orValue("") }}'
    expect(step(`set: cursor, value: '${leak}'`)).to.deep.equal([
      `E315 a sensitive value would be kept in 'cursor', which is not declared sensitive | add sensitive: true to the state`,
    ])
    expect(step(`add: seen, key: '${leak}'`)[0]).to.match(/^E315/)
    expect(problemsOf(`  - fail: '${leak}'`)[0]).to.match(/^E315/)
    const { steps } = parsed(withSteps(`  - state: { set: secret, value: '${leak}' }`, declared))
    expect(steps[0]?.sensitive).to.deep.equal({
      input: { fields: { value: true } },
      output: { fields: { value: true } },
    })
  })

  it('warns if nothing looks at the outcome of a comparison, or at an entry that is read', () => {
    const warnings = (steps: string) =>
      check(withSteps(steps, declared)).map(({ code, message }) => `${code} ${message}`)
    expect(warnings('  - state: { set: cursor, value: a, expected: b }')).to.deep.equal([
      'W403 nothing reads whether this step set the value: it does not if another run was faster',
    ])
    expect(warnings('  - state: { get: seen, key: a }')).to.deep.equal([
      'W403 nothing reads the output of this step',
    ])
    const repeated =
      '  - state: { set: cursor, value: a, expected: b }\n    repeat: { until: output.ok, every: 1s, max: 3 }'
    expect(warnings(repeated)).to.deep.equal([])
  })
})
