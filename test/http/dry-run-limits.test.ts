import { expect } from 'chai'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startApi, type Api, type Reply } from './support/api.ts'
import { expectProblem } from './support/schemas.ts'

const each = (list: string, indent: string) =>
  `${indent}- foreach: "\${{ inputs.${list} }}"\n${indent}  as: ${list}_item\n${indent}  `

/** Reads once, then only computes, once per pair of list items. */
const looping =
  'apiVersion: tocsin/v1\nname: loops\non: { manual: true }\n' +
  'inputs:\n  a: { type: array }\n  b: { type: array }\n  c: { type: array }\n  text: { type: string, default: x }\n' +
  'steps:\n  - { uses: tower.look_up, with: { kind: ip, value: "192.0.2.1" } }\n' +
  `${each('a', '  ')}steps:\n${each('b', '      ')}steps:\n${each('c', '          ')}set: { v: "\${{ inputs.text }}" }\n`

const numbers = (length: number) => Array.from({ length }, (_, at) => at)

function tooLarge({ status, json }: Reply, what: string) {
  expect([status, json.code]).to.deep.equal([422, 'dry_run_too_large'])
  expect(json.detail).to.include(what)
}

describe('an endless dry run', () => {
  let api: Api
  let onRead: () => void
  before(async () => {
    api = await startApi()
    api.callerOfSkills = () => async () => {
      onRead()
      return { risk: { score: 1 } }
    }
  })
  beforeEach(() => (onRead = () => {}))
  after(() => api.close())

  const dryRun = async (times: readonly [number, number, number], text = 'x') => {
    const [a, b, c] = times.map(numbers)
    return await api.call('POST', '/api/playbooks/dry-run', {
      body: { organization_code: 'acme', source: looping, inputs: { a, b, c, text } },
    })
  }

  it('does not block other requests and keeps a bounded number of steps', async () => {
    const { promise: health, resolve } = Promise.withResolvers<Response>()
    onRead = () => resolve(fetch(`${api.url}/healthz`))
    const over: string[] = []
    const [reply] = await Promise.all([
      dryRun([100, 100, 100]).finally(() => over.push('dry run')),
      health.finally(() => over.push('healthz')),
    ])
    tooLarge(reply, '20000 steps')
    expect(over).to.deep.equal(['healthz', 'dry run'])
  })

  it('keeps a bounded size of step data', async () => {
    tooLarge(await dryRun([1, 10, 100], 'x'.repeat(10_000)), '8388608 characters')
  })

  it('does not reach the limit with 10,000 steps, which are all shown', async () => {
    const { status, json, text } = await dryRun([1, 100, 99])
    expect(status, text.slice(0, 500)).to.equal(200)
    expect(json.events).to.have.length.above(9_900)
  })
})

describe('endless playbook tests', () => {
  let api: Api
  let key: string
  before(async () => {
    api = await startApi()
    key = await api.newKey('analyst', ['acme'])
    const { status, text } = await api.call('PUT', '/api/playbooks/loops', { body: { source: looping } })
    expect(status, text).to.equal(200)
  })
  after(() => api.close())

  const write = async (runs: readonly (readonly [number, number, number])[], text = 'x') => {
    const tests = runs.map((times, at) => {
      const [a, b, c] = times.map(numbers)
      return { name: `test ${at}`, inputs: { a, b, c, text }, expect: { status: 'completed' } }
    })
    const mocks = { 'tower.look_up': { output: { risk: { score: 1 } } } }
    await writeFile(
      join(api.dataDir, 'loops.test.yaml'),
      JSON.stringify({ playbook: 'loops.yaml', mocks, tests }),
    )
  }
  const run = async (by = key) => await api.call('POST', '/api/playbooks/loops/test', { key: by })

  it('yield to other requests and run a bounded number of steps', async () => {
    await write([[100, 100, 100]])
    const over: Reply[] = []
    const testing = run().then((reply) => over.push(reply))
    let answered = 0
    for (; over.length === 0; answered++) await (await fetch(`${api.url}/healthz`)).text()
    await testing
    tooLarge(over[0]!, '20000 steps')
    expect(answered).to.be.above(20)
  })

  it('run one at a time per organization', async () => {
    await write([[100, 100, 100]])
    const both = [run(), run()]
    const one = await Promise.race(both)
    const ended = (await Promise.all(both)).find((reply) => reply !== one)
    expectProblem(one, 503, 'dry_runs_full')
    expect(one.headers.get('retry-after')).to.equal('5')
    tooLarge(ended!, '20000 steps')
  })

  it('share the slots of dry runs', async () => {
    await write([[1, 1, 1]])
    const reading = Promise.withResolvers<void>()
    const read = Promise.withResolvers<void>()
    api.callerOfSkills = () => async () => {
      reading.resolve()
      await read.promise
      return { risk: { score: 1 } }
    }
    const body = { organization_code: 'acme', source: looping, inputs: { a: [], b: [], c: [] } }
    const trying = api.call('POST', '/api/playbooks/dry-run', { key, body })
    await reading.promise
    expectProblem(await run(), 503, 'dry_runs_full')
    expect((await run(await api.newKey('analyst', ['globex']))).status).to.equal(200)
    read.resolve()
    expect((await trying).status).to.equal(200)
    expect((await run()).status).to.equal(200)
  })

  it('share one budget of steps', async () => {
    await write([
      [1, 100, 80],
      [1, 100, 80],
    ])
    const { status, json, text } = await run()
    expect(status, text.slice(0, 500)).to.equal(200)
    expect(json.tests.map(({ failures }: any) => failures)).to.deep.equal([[], []])
    await write(Array.from({ length: 3 }, () => [1, 100, 80] as const))
    tooLarge(await run(), '20000 steps')
  })

  it('report that the size limit was reached', async () => {
    await write([[1, 10, 100]], 'x'.repeat(10_000))
    tooLarge(await run(await api.newKey('analyst')), '8388608 characters')
  })
})
