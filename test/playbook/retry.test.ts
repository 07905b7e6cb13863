import { expect } from 'chai'
import { check, marked, parsed, withSteps } from './support.ts'

const withRetry = (text: string) => withSteps(`  - { uses: case.update, retry: { ${text} } }`)

/** Code, marked text and hint. */
function found(text: string): readonly (readonly [code: string, at: string, hint: string | undefined])[] {
  const source = withRetry(text)
  return check(source).map((problem) => [problem.code, marked(source, problem), problem.hint] as const)
}

function policyOf(source: string) {
  const [step] = parsed(source).steps
  return step?.action === 'uses' ? step.retry : undefined
}

describe('retry', () => {
  it('accepts a jitter and error codes', () => {
    const text = 'jitter: 0.5, on: [http_429, http_5xx, http_507, network_error, step_timeout]'
    expect(policyOf(withRetry(text))).to.deep.equal({
      max: 3,
      backoffMs: 2_000,
      factor: 2,
      maxBackoffMs: 300_000,
      jitter: 0.5,
      on: ['http_429', 'http_5xx', 'http_507', 'network_error', 'step_timeout'],
    })
    expect(policyOf(withRetry('max: 1'))).to.deep.include({ jitter: 0.2, on: undefined })
  })

  it('is the same in defaults', () => {
    const source = withSteps('  - uses: case.update', 'defaults: { retry: { jitter: 0, on: [http_429] } }')
    expect(policyOf(source)).to.deep.include({ jitter: 0, on: ['http_429'] })
  })

  it('explains the format of jitter', () => {
    expect(found('jitter: true')).to.deep.equal([
      ['E106', 'true', 'write jitter: 0.2, which spreads each wait by 20 %'],
    ])
    expect(found('jitter: false')).to.deep.equal([['E106', 'false', 'write jitter: 0']])
    expect(found('jitter: 20')).to.deep.equal([['E107', '20', undefined]])
  })

  const meant: readonly (readonly [word: string, hint: string])[] = [
    ['http_42', "did you mean 'http_429'?"],
    ['netwrok_error', "did you mean 'network_error'?"],
    ['timeout', "did you mean 'step_timeout'?"],
    ['rate-limit', "did you mean 'http_429'?"],
    ['ECONNRESET', "did you mean 'network_error'?"],
    ['5xx', "did you mean 'http_5xx'?"],
    ['"503"', "did you mean 'http_503'?"],
    ['http_404', 'handle it with on_error; transient statuses are 408, 429 and 500 to 599'],
  ]
  for (const [word, hint] of meant) {
    it(`refuses ${word} and suggests the right code`, () => {
      expect(found(`on: [http_500, ${word}]`)).to.deep.equal([['E107', word, hint]])
    })
  }

  it('requires a list of strings', () => {
    expect(found('on: http_429')).to.deep.equal([['E106', 'http_429', 'write [http_429]']])
    expect(found('on: timeout')).to.deep.equal([['E106', 'timeout', 'write [step_timeout]']])
    expect(found('on: []').map(([code]) => code)).to.deep.equal(['E106'])
    expect(found('on: [429]')).to.deep.equal([['E106', '429', 'write http_429']])
  })

  it('warns about a code that only the skill itself could use', () => {
    expect(found('on: [machine_asleep]').map(([code, at]) => [code, at])).to.deep.equal([
      ['W406', 'machine_asleep'],
    ])
    expect(policyOf(withRetry('on: [machine_asleep]'))?.on).to.deep.equal(['machine_asleep'])
  })

  it('warns about retrying a write of class never, except after errors that prove no effect', () => {
    const codes = (retry: string) =>
      check(withSteps(`  - { uses: messaging.send_message, with: { text: x }, retry: { ${retry} } }`)).map(
        ({ code }) => code,
      )
    expect(codes('max: 2')).to.deep.equal(['W404'])
    expect(codes('max: 2, on: [http_429]')).to.deep.equal([])
    expect(codes('max: 2, on: [http_429, http_503]')).to.deep.equal(['W404'])
  })
})
