import { expect } from 'chai'
import type { ListedNode } from '../../server/nodes/node-list.ts'
import { startApi, type Api } from '../http/support/api.ts'
import { killCommands, runTocsin } from '../support/server/run-tocsin.ts'

const node: ListedNode = {
  id: 'a',
  name: 'web-1:17',
  program: '1.2.3',
  role: 'active',
  state: 'ok',
  startedAt: 0,
  leaseLeftMs: 4_200,
  report: {
    role: 'active',
    runs: 3,
    queued: 2,
    cpuPercent: 41,
    memoryBytes: 300 * 1_048_576,
    lastError: { at: 1_000, message: 'the disk is full' },
  },
  gone: null,
  otherSettings: [],
}

describe('tocsin nodes', () => {
  let api: Api
  before(async () => void (api = await startApi()))
  after(async () => {
    await killCommands()
    await api.close()
  })

  const nodes = (...args: string[]) =>
    runTocsin(['nodes', ...args], { env: { TOCSIN_KEY: api.adminKey, TOCSIN_URL: api.url } })

  it('shows each node with its load and its newest error', async () => {
    const standby = { ...node, id: 'b', role: 'standby', report: null, leaseLeftMs: null } as const
    api.nodes = async () => ({ nodes: [node, standby], waiting: [] })
    const { code, stdout } = await nodes()
    expect(code).to.equal(0)
    const [head, , first, second] = stdout.split('\n')
    expect(head).to.match(/^NODE +VERSION +ROLE +STATE +SINCE +LEASE +RUNS +QUEUED +CPU +MEMORY +LAST ERROR$/)
    expect(first).to.match(
      /^web-1:17 +1\.2\.3 +active +ok +1970-\S+ +4\.2 s +3 +2 +41 % +300 MB +1970-\S+ the disk is full$/,
    )
    expect(second).to.match(/^web-1:17 +1\.2\.3 +standby +ok +1970-\S+ +– +– +– +– +–$/)
  })

  it('marks nodes that are late or were lost, and fails then', async () => {
    const late = { ...node, state: 'late', leaseLeftMs: 0 } as const
    const left = { ...node, state: 'gone', leaseLeftMs: null, gone: { at: 5, why: 'left' } } as const
    const lost = { ...left, gone: { at: 5, why: 'lost' } } as const
    const load = '3 +2 +41 % +300 MB'
    for (const [listed, shownAs, code] of [
      [left, '– +left +1970-\\S+ +– +– +– +– +–', 0],
      [late, `active +late +1970-\\S+ +0\\.0 s +${load}`, 1],
      [lost, '– +lost +1970-\\S+ +– +– +– +– +–', 1],
    ] as const) {
      api.nodes = async () => ({ nodes: [listed], waiting: [] })
      const shown = await nodes()
      expect(shown.code, shownAs).to.equal(code)
      // The newest error may say why a node is gone.
      expect(shown.stdout.split('\n')[2]).to.match(new RegExp(` ${shownAs} +1970-\\S+ the disk is full$`))
    }
  })

  it('names nodes with other settings, and fails then', async () => {
    const other = { ...node, name: 'web-2:4', otherSettings: ['TOCSIN_APPROVALS', 'the installed plugins'] }
    api.nodes = async () => ({ nodes: [node, other], waiting: [] })
    const { code, stdout } = await nodes()
    expect(code).to.equal(1)
    expect(stdout.split('\n')[4]).to.equal(
      'web-2:4 differs from the node that answered in TOCSIN_APPROVALS, the installed plugins: set the same on all nodes.',
    )
  })

  it('says which version runs wait for, and fails then', async () => {
    const waiting = [
      { version: '1.3.0', runs: 1 },
      { version: '1.4.0-rc.1', runs: 12 },
    ]
    api.nodes = async () => ({ nodes: [node], waiting })
    const { code, stdout } = await nodes()
    expect(code).to.equal(1)
    expect(stdout.split('\n').slice(3, 5)).to.deep.equal([
      '1 run waits for Tocsin 1.3.0 or later, which had it last: start a node with it.',
      '12 runs wait for Tocsin 1.4.0-rc.1 or later, which had them last: start a node with it.',
    ])
    expect(JSON.parse((await nodes('--json')).stdout).waiting_for_newer).to.deep.equal(waiting)
  })

  it('prints JSON as the API gives it', async () => {
    api.nodes = async () => ({ nodes: [node], waiting: [] })
    const { stdout } = await nodes('--json')
    expect(JSON.parse(stdout)).to.deep.equal((await api.call('GET', '/api/nodes')).json)
  })
})
