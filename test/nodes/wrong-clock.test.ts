import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { eventually } from '../support/eventually.ts'
import { describePostgres } from '../support/postgres.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { startTestCluster, type ClusterNode, type TestCluster } from './support/test-cluster.ts'
import { playbookOf, toolPlugin } from './support/tool-plugin.ts'

const hourMs = 3_600_000
/** Longer than a node takes to look for due work, and to remove a lost node. */
const whileMs = 8_000

/** A module that sets the clock of its process and threads forward, or back. */
const wrongClock = (byMs: number) => `
const { now } = Date
const Real = Date
globalThis.Date = class Date extends Real {
  constructor(...args) {
    if (args.length === 0) super(Date.now())
    else super(...args)
  }
  static now() {
    return now() + ${byMs}
  }
}
`

describePostgres('a node whose clock is wrong by an hour', () => {
  let folder: TemporaryFolder
  before(async () => (folder = await makeTemporaryFolder()))
  after(() => folder.remove())

  for (const [direction, byMs] of [
    ['ahead', hourMs],
    ['behind', -hourMs],
  ] as const)
    describe(direction, () => {
      let cluster: TestCluster
      let right: ClusterNode
      let wrong: ClusterNode
      before(async function () {
        this.timeout(120_000)
        const module = join(folder.path, `${direction}.mjs`)
        await writeFile(module, wrongClock(byMs))
        cluster = await startTestCluster({
          nodes: 2,
          plugin: toolPlugin(),
          playbooks: {
            waits: playbookOf('waits', '  - wait: 30m'),
            asks: playbookOf(
              'asks',
              '  - { id: q, checkpoint: { via: operator, with: { message: x }, answers: [yes], timeout: 30m } }',
            ),
            short: playbookOf('short', '  - wait: 1s'),
          },
          egress: '127.0.0.1:9',
          env: { TOCSIN_GROUP_MINUTES: '15', TOCSIN_LOG_LEVEL: 'warn' },
          nodeOptions: (index) => (index === 1 ? ['--import', module] : []),
        })
        ;[right, wrong] = cluster.nodes as [ClusterNode, ClusterNode]
      })
      after(() => cluster?.close())

      const post = async (node: ClusterNode, type: string, content: string, prefer = 'wait=0') => {
        const alert = { alert_provider: 'custom', organization_code: 'main', alert_type: type }
        const body = { ...alert, alert_content: content }
        const reply = await cluster.call(node, '/alerts', { body, headers: { prefer } })
        expect(reply.status).to.equal(201)
        return reply.body
      }
      const runOf = (alert: string) =>
        eventually('the run', async () => (await cluster.call(right, `/runs?alert=${alert}`)).body.data?.[0])

      it('ends no wait and no question early, and none late', async function () {
        this.timeout(120_000)
        const alerts = [
          await post(right, 'waits', 'a'),
          await post(wrong, 'waits', 'b'),
          await post(right, 'asks', 'c'),
          await post(wrong, 'asks', 'd'),
        ]
        await sleep(whileMs)
        for (const { alert_id: id } of alerts) {
          const run = await runOf(id)
          expect(run, JSON.stringify(run)).to.include({ ended_at: null })
        }
        for (const [node, content] of [
          [right, 'e'],
          [wrong, 'f'],
        ] as const) {
          const { alert_id: id } = await post(node, 'short', content, 'wait=30')
          expect(await runOf(id)).to.include({ status: 'completed' })
        }
      })

      it('groups repeats as the others do, and gives alerts the right time', async () => {
        const first = await post(right, 'short', 'same', 'wait=30')
        const second = await post(wrong, 'short', 'same', 'wait=30')
        expect(Math.abs(second.created_at - first.created_at)).to.be.lessThan(60_000)
        const { body } = await cluster.call(right, `/alerts/${second.alert_id}`)
        expect(body.grouped_because, 'a repeat').to.not.equal(null)
      })

      it('accepts keys and sessions until they end', async () => {
        const valid = { name: 'valid', role: 'reader', expires_at: Date.now() + hourMs / 2 }
        for (const node of [right, wrong]) {
          const { body: made } = await cluster.call(node, '/keys', { body: valid })
          for (const other of [right, wrong])
            expect((await cluster.call(other, '/organizations', { key: made.key })).status).to.equal(200)
          const { headers } = await cluster.call(node, '/session', { body: { api_key: made.key } })
          const cookie = String(headers.get('set-cookie')).split(';', 1)[0]!
          for (const other of [right, wrong])
            expect((await cluster.call(other, '/session', { headers: { cookie } })).status).to.equal(200)
        }
      })

      it('keeps its lease, and warns', async () => {
        const { body } = await cluster.call(wrong, '/nodes')
        expect(body.data.map(({ state }: { state: string }) => state)).to.deep.equal(['ok', 'ok'])
        const { stderr } = await wrong.server.stop()
        expect(stderr).to.include('the clock of this machine differs from that of the database')
        expect((await right.server.stop()).stderr).to.not.include('the clock of this machine')
      })
    })
})
