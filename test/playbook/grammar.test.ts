import { expect } from 'chai'
import { parseDurationMs } from '../../core/playbook/language/durations.ts'
import { check, codesOf, withSteps } from './support.ts'

const hintOf = (source: string) => check(source)[0]?.hint
const messagesOf = (steps: string, rest = '') =>
  check(withSteps(steps, rest)).map(({ code, message }) => `${code} ${message}`)

describe('the grammar of playbooks', () => {
  it('suggests similar keys', () => {
    expect(hintOf(withSteps('  - uses: case.update\n    wiht: {}'))).to.equal("did you mean 'with'?")
    expect(hintOf(withSteps('  - uses: case.updat'))).to.equal("did you mean 'case.update'?")
    expect(hintOf(withSteps('  - uses: messagin.send_message'))).to.equal(
      "did you mean 'messaging.send_message'?",
    )
  })

  it('requires exactly one action', () => {
    expect(messagesOf('  - { set: { x: 1 }, return: 1 }')).to.deep.equal([
      'E109 a step has one action; found `set` and `return`',
    ])
    expect(messagesOf('  - { name: idle }')).to.deep.equal(['E109 the step has no action'])
  })

  it('does not report a mistyped key as missing', () => {
    expect(
      codesOf(check('apiVersion: tocsin/v1\nname: x\non: { manual: true }\nstps: [{ return: 1 }]')),
    ).to.deep.equal(['E104'])
  })

  it('refuses keys that do not belong to the action', () => {
    const wrong = [
      '{ set: { x: 1 }, connection: c }',
      '{ set: { x: 1 }, retry: {} }',
      '{ set: { x: 1 }, timeout: 5s }',
      '{ set: { x: 1 }, as: y }',
      '{ set: { x: 1 }, concurrency: 2 }',
      '{ steps: [{ fail: x }], default: 1 }',
      '{ return: 1, on_error: continue }',
      '{ wait: 1s, foreach: [1] }',
    ]
    for (const step of wrong) expect(codesOf(check(withSteps(`  - ${step}`))), step).to.include('E112')
  })

  it('accepts fail, continue or steps for on_error, and nothing else', () => {
    expect(codesOf(check(withSteps('  - { uses: case.update, on_error: ignore }')))).to.deep.equal(['E107'])
    expect(codesOf(check(withSteps('  - { uses: case.update, on_error: { x: 1 } }')))).to.deep.equal(['E106'])
    expect(codesOf(check(withSteps('  - { uses: case.update, on_error: [{ fail: x }] }')))).to.deep.equal([])
  })

  it('explains values that YAML reads with another type', () => {
    expect(hintOf(withSteps('  - return: 1', 'version: 1.2'))).to.equal('put it into quotes: "1.2"')
    expect(hintOf(withSteps('  - return: 1', 'timeout: 60'))).to.equal('did you mean 60s?')
    expect(check(withSteps("  - if: 'a' == run.id\n    return: 1"))[0]).to.include({ code: 'E101', line: 5 })
  })

  it('requires conditions without braces', () => {
    const [problem] = check(withSteps('  - { if: "${{ run.dry_run }}", return: 1 }'))
    expect(problem).to.include({ code: 'E201', hint: 'write if: run.dry_run' })
    expect(codesOf(check(withSteps('  - { if: true, return: 1 }')))).to.deep.equal([])
  })

  it('keeps numbers within bounds', () => {
    const retry = (text: string) => codesOf(check(withSteps(`  - { uses: case.update, retry: { ${text} } }`)))
    expect(retry('max: 21')).to.deep.equal(['E107'])
    expect(retry('max: 1.5')).to.deep.equal(['E106'])
    expect(retry('factor: 1.5')).to.deep.equal([])
    expect(retry('backoff: 0s')).to.deep.equal(['E107'])
    expect(retry('jitter: 1')).to.deep.equal([])
    expect(retry('jitter: 1.1')).to.deep.equal(['E107'])
    expect(retry('jitter: true')).to.deep.equal(['E106'])
  })

  it('reads durations', () => {
    expect(['500ms', '30s', '5m', '2h', '1d', '1h30m'].map(parseDurationMs)).to.deep.equal([
      500, 30_000, 300_000, 7_200_000, 86_400_000, 5_400_000,
    ])
    for (const wrong of ['', '5', '5 m', '30m1h', '-1s', '1.5h', '367d', '1y']) {
      expect(parseDurationMs(wrong), wrong).to.equal(undefined)
    }
  })

  it('checks connections if they are known', () => {
    const step = (connection: string) =>
      withSteps(`  - { uses: messaging.send_message, with: { text: x }${connection} }`)
    const connections = [
      { name: 'Main', plugin: 'messaging' },
      { name: 'intel', plugin: 'intel_provider' },
    ]
    const codes = (source: string, known = connections) => codesOf(check(source, { connections: known }))
    expect(codes(step(''))).to.deep.equal([])
    expect(codes(step(', connection: main'))).to.deep.equal([])
    expect(codes(step(', connection: intel'))).to.deep.equal(['E304'])
    expect(codes(step(''), [...connections, { name: 'b', plugin: 'messaging' }])).to.deep.equal(['E304'])
    expect(codes(withSteps('  - { uses: case.update, connection: main }'))).to.deep.equal(['E304'])
  })

  it('warns about steps that never run', () => {
    expect(messagesOf('  - steps:\n      - return: 1\n  - fail: x')).to.deep.equal([
      'W401 this step never runs',
    ])
    expect(messagesOf('  - { if: run.dry_run, return: 1 }\n  - fail: x')).to.deep.equal([])
    const both =
      '  - switch: [{ when: run.dry_run, steps: [{ return: 1 }] }]\n    else: [{ fail: x }]\n  - return: 1'
    expect(messagesOf(both)).to.deep.equal(['W401 this step never runs'])
  })
})
