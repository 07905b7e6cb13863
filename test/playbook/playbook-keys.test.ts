import { expect } from 'chai'
import { check, codesOf, parsed, withSteps, errorsOf, errorCodesOf } from './support.ts'

describe('triggers of a playbook', () => {
  const on = (text: string, rest = '') =>
    errorsOf(`apiVersion: tocsin/v1\nname: x\non: { ${text} }\n${rest}steps: [{ return: 1 }]`).map((each) =>
      each.slice(0, 4),
    )

  it('may be a schedule, as a string or as a map with inputs', () => {
    expect(on('schedule: "0 8 * * 1-5"')).to.deep.equal([])
    const inputs = 'inputs: { host: { type: string } }\n'
    expect(
      on(
        'schedule: { cron: "*/5 * * * *", organizations: [acme], inputs: { host: a }, overlap: true }',
        inputs,
      ),
    ).to.deep.equal([])
    expect(on('schedule: "0 8 * * 1-5"', inputs)).to.deep.equal(['E312'])
    expect(on('schedule: { cron: "0 8 * * *", inputs: { host: 7 } }', inputs)).to.deep.equal(['E312'])
    expect(on('schedule: tomorrow')).to.deep.equal(['E313'])
    expect(on('schedule: "0 0 30 2 *"')).to.deep.equal(['E313'])
  })

  it('are required', () => {
    expect(on('')).to.deep.equal(['E105'])
    expect(on('call: yes')).to.deep.equal(['E106'])
  })

  it('allow a concurrency key over the values known at queueing', () => {
    const keyed = (key: string) => on('alert: { type: t }', `concurrency: { key: "${key}", policy: drop }\n`)
    expect(keyed('host ${{ alert.data.host }}')).to.deep.equal([])
    expect(keyed('${{ case.id }}')).to.deep.equal(['E204'])
    expect(on('alert: { type: t }', 'concurrency: { key: a, policy: wait }\n')).to.deep.equal(['E107'])
  })

  it('allow defaults of connections by plugin', () => {
    const source = withSteps(
      '  - { uses: messaging.send_message, with: { text: x } }\n  - { uses: messaging.send_message, connection: b, with: { text: x } }',
      'defaults: { connections: { messaging: a } }',
    )
    const [first, second] = parsed(source).steps
    expect([first, second]).to.have.nested.property('[0].connection', 'a')
    expect([first, second]).to.have.nested.property('[1].connection', 'b')
    const connections = [{ name: 'b', plugin: 'messaging' }]
    expect(codesOf(check(source, { connections }))).to.deep.equal(['E304'])
  })
})

describe('facts after a checkpoint', () => {
  const skipped = '  - { id: t, if: run.dry_run, uses: travel.search_user_travel, with: { email: x } }\n'
  const then = (condition: string) =>
    errorCodesOf(`${skipped}  - { if: "${condition}", set: { x: "\${{ steps.t.output.trips }}" } }`)

  it('include the output of a step that is ok, or completed', () => {
    expect(then('steps.t.ok')).to.deep.equal([])
    expect(then("steps.t.status == 'completed'")).to.deep.equal([])
    expect(then('!steps.t.ok')).to.deep.equal(['E206'])
    expect(then("steps.t.status != 'completed'")).to.deep.equal(['E206'])
    expect(then('run.dry_run')).to.deep.equal(['E206'])
  })

  it('include the error of a failed run, in finally', () => {
    const last = (text: string) =>
      errorCodesOf('  - return: 1', `finally: [{ set: { x: "\${{ ${text} }}" } }]`)
    expect(last("error != null && error.code == 'x'")).to.deep.equal([])
    expect(last("error.code == 'x'")).to.deep.equal(['E207'])
    expect(errorCodesOf('  - fail: x', 'on_error: [{ set: { x: "${{ error.code }}" } }]')).to.deep.equal([])
  })
})

describe('the message of a failed run', () => {
  const said = (value: string) => errorsOf(withSteps(`  - fail: ${value}`))

  it('is a string; other types are named in the problem', () => {
    expect(said(`'\${{ run.dry_run ? "a" : "b" }}'`)).to.deep.equal([])
    expect(said(`'\${{ run.dry_run ? "a" : null }}'`)).to.deep.equal([
      'E207 fail: the value may be null; expected string',
    ])
    expect(said(`'\${{ size(run.id) }}'`)).to.deep.equal([
      "E106 expected a string for 'fail', found an expression that gives a whole number",
    ])
    expect(said('[a]')).to.deep.equal(['E106 expected a string for `fail`, found a list'])
  })
})
