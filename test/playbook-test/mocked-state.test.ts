import { expect } from 'chai'
import { failures, problemsOf, testsSource } from './support.ts'

const playbook = `apiVersion: tocsin/v1
name: kept
on: { manual: true }
state:
  cursor: { type: string, default: start }
  seen: { kind: set, max: 2, when_full: fail }
steps:
  - id: moved
    state: { set: cursor, value: '\${{ state.cursor + "!" }}', expected: '\${{ state.cursor }}' }
    repeat: { until: output.ok, every: 1s, max: 3 }
  - id: first
    state: { add: seen, key: a }
    on_error: continue
outputs: { cursor: '\${{ steps.moved.output.value }}', added: '\${{ steps.first.ok }}' }
`

describe('the mock of a step with state', () => {
  it('says that another run was faster, and changes nothing', async () => {
    const source = testsSource(`
  - name: faster twice
    mocks:
      steps.moved: [{ output: { ok: false, value: x } }, { output: { ok: false, value: y } }, { output: { ok: true, value: z } }]
    expect: { outputs: { cursor: z }, duration: 2s, state: { seen: [a] } }
  - name: always faster
    mocks: { steps.moved: { output: { ok: false, value: x } } }
    expect: { status: failed, error: { code: repeat_exhausted } }
  - name: nobody is faster
    expect: { outputs: { cursor: start! }, duration: 0s }`)
    expect(await failures(playbook, source)).to.deep.equal([])
  })

  it('fails the step with an error', async () => {
    const source = testsSource(`
  - name: full
    mocks: { steps.first: { with: { add: seen }, error: { code: state_full } } }
    expect: { outputs: { added: false } }`)
    expect(await failures(playbook, source)).to.deep.equal([])
  })

  it('is the same after a crash', async () => {
    const source = testsSource(`
  - name: faster
    mocks: { steps.moved: [{ output: { ok: false, value: x } }, { output: { ok: true, value: z } }] }
    expect: { outputs: { cursor: z } }`)
    expect(await failures(playbook, source, { crash: true })).to.deep.equal([])
  })

  it('must have an output or an error that the step can give', async () => {
    const wrong: readonly (readonly [mock: string, says: RegExp])[] = [
      ['steps.moved: timeout', /E602 .*no `timeout`/],
      ['steps.moved: { output: { ok: maybe, value: x } }', /E602/],
      ['steps.first: { output: { new: true, added_at: 2026-01-01T00:00:00Z }, delay: 5m }', /no `delay`/],
    ]
    for (const [mock, says] of wrong) {
      const problems = problemsOf(playbook, testsSource('  - { name: a }', `mocks: { ${mock} }\n`))
      expect(problems.join('\n'), mock).to.match(says)
    }
  })
})
