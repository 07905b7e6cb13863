import { expect } from 'chai'
import { startApi, type Api, type Reply } from './support/api.ts'

const each = (list: string, indent: string) =>
  `${indent}- foreach: "\${{ inputs.${list} }}"\n${indent}  as: ${list}_item\n${indent}  `

/** Reads once, then only calculates, so often as the lists are long. */
const looping =
  'apiVersion: tocsin/v1\nname: loops\non: { manual: true }\n' +
  'inputs:\n  a: { type: array }\n  b: { type: array }\n  c: { type: array }\n  text: { type: string, default: x }\n' +
  'steps:\n  - { uses: tower.look_up, with: { kind: ip, value: "192.0.2.1" } }\n' +
  `${each('a', '  ')}steps:\n${each('b', '      ')}steps:\n${each('c', '          ')}set: { v: "\${{ inputs.text }}" }\n`

const numbers = (length: number) => Array.from({ length }, (_, at) => at)

describe('a dry run that does not end', () => {
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

  const tooLarge = ({ status, json }: Reply, what: string) => {
    expect([status, json.code]).to.deep.equal([422, 'dry_run_too_large'])
    expect(json.detail).to.include(what)
  }

  it('keeps nobody from being answered, and no more than a bounded number of steps', async () => {
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

  it('keeps no more than a bounded size of what its steps hold', async () => {
    tooLarge(await dryRun([1, 10, 100], 'x'.repeat(10_000)), '8388608 characters')
  })

  it('is none of ten thousand steps, which are shown', async () => {
    const { status, json, text } = await dryRun([1, 100, 99])
    expect(status, text.slice(0, 500)).to.equal(200)
    expect(json.events).to.have.length.above(9_900)
  })
})
