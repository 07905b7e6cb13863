import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { limitHere } from '../../support/processor-time.ts'
import type { Outcome } from './corpus.ts'

const corpus = fileURLToPath(new URL('corpus.ts', import.meta.url))
/**
 * Processor time. The documented limit is 100 ms (docs/performance.md); ten times as much allows for slow
 * machines under load.
 */
const longestMs = 1000
const timeoutMs = 60_000

describe('hostile expressions', function () {
  this.timeout(timeoutMs + 5000)
  let outcomes: readonly Outcome[] = []

  before(() => {
    const child = spawnSync(process.execPath, ['--max-old-space-size=512', corpus], {
      encoding: 'utf8',
      timeout: timeoutMs,
    })
    expect(child.signal, 'killed after the hard timeout').to.equal(null)
    expect(child.status, child.stderr).to.equal(0)
    outcomes = child.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Outcome)
    const slowest = outcomes.toSorted((left, right) => right.ms - left.ms).slice(0, 3)
    process.stdout.write(`    slowest: ${slowest.map(({ name, ms }) => `${name} ${ms} ms`).join(', ')}\n`)
  })

  const outcomeOf = (name: string): string | undefined => outcomes.find((each) => each.name === name)?.outcome

  it('end in a value or a typed error, within 512 MB', () => {
    expect(outcomes.length).to.be.greaterThan(80)
    expect(outcomes.filter(({ outcome }) => outcome.startsWith('crash'))).to.deep.equal([])
  })

  it('end quickly', () => {
    const limit = limitHere(longestMs)
    expect(outcomes.filter(({ ms }) => ms > limit)).to.deep.equal([])
  })

  it('are those of every function too, so that none is without cost', () => {
    const calls = outcomes.filter(({ name }) => name.startsWith('call of '))
    expect(calls.length).to.be.greaterThan(250)
    expect(calls.filter(({ outcome }) => !outcome.endsWith('_exhausted'))).to.deep.equal([])
  })

  it('never reach a prototype', () => {
    for (const key of ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf']) {
      expect(outcomeOf(`${key} of data without it`)).to.equal('expression_missing_field')
      expect(outcomeOf(`${key} of a list`)).to.equal('expression_wrong_type')
      expect(outcomeOf(`${key} of text`)).to.equal('expression_wrong_type')
      expect(outcomeOf(`${key} as a name`)).to.equal('unknown_name')
      expect(outcomeOf(`${key} called`)).to.equal('unknown_function')
      expect(outcomeOf(`${key} as a function`)).to.be.oneOf(['unknown_function', 'unknown_name'])
    }
  })

  it('read hostile keys as plain data', () => {
    expect(outcomeOf('hostile keys as data')).to.equal('value')
    expect(outcomeOf('__proto__ as data')).to.equal('value')
  })

  it('may loop twice over 200 items, but not endlessly', () => {
    expect(outcomeOf('macros 2 deep over 200')).to.equal('value')
    expect(outcomeOf('macros 3 deep over 200')).to.equal('expression_fuel_exhausted')
    expect(outcomeOf('literal loops 30^6')).to.equal('expression_fuel_exhausted')
    expect(outcomeOf('loops that fault')).to.equal('expression_fuel_exhausted')
  })

  it('cannot grow values endlessly', () => {
    expect(outcomeOf('string doubling')).to.equal('expression_memory_exhausted')
    expect(outcomeOf('list doubling')).to.equal('expression_memory_exhausted')
    expect(outcomeOf('shared lists returned')).to.equal('expression_fuel_exhausted')
  })

  it('are refused by size before they run', () => {
    expect(outcomeOf('10,000 parentheses')).to.equal('too_long')
    expect(outcomeOf('4,000 parentheses')).to.equal('too_deep')
    expect(outcomeOf('100,000 terms')).to.equal('too_long')
    expect(outcomeOf('4,000 terms')).to.equal('too_many_nodes')
    expect(outcomeOf('200 terms')).to.equal('value')
  })

  it('run patterns in linear time', () => {
    expect(outcomeOf('ReDoS (a+)+')).to.equal('value')
    expect(outcomeOf('ReDoS (a|a)*')).to.equal('value')
    expect(outcomeOf('a wide pattern')).to.equal('value')
    expect(outcomeOf('patterns with many states')).to.equal('expression_fuel_exhausted')
    expect(outcomeOf('many patterns')).to.equal('expression_fuel_exhausted')
    expect(outcomeOf('a pattern that repeats itself')).to.equal('too_many_nodes')
  })
})
