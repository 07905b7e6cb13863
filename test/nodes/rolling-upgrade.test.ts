import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { leaseMs } from '../../server/nodes/keep-lease.ts'
import { versionOfOrdered } from '../../server/sql/nodes/program-order.ts'
import { startSandbox, type EffectSandbox } from '../crash/sandbox.ts'
import { eventually } from '../support/eventually.ts'
import { describePostgres } from '../support/postgres.ts'
import { connectPlugin } from './support/connect-plugin.ts'
import { actingPlugin } from './support/acting-plugin.ts'
import { startTestCluster, type ClusterNode, type TestCluster } from './support/test-cluster.ts'

const [older, newer] = ['1.9.0', '1.10.0']
/** What the newer version adds. */
const migration = `ALTER TABLE runs ADD COLUMN later TEXT; ALTER TABLE alerts ADD COLUMN later INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE nodes ADD COLUMN later TEXT; ALTER TABLE journal ADD COLUMN later TEXT; CREATE TABLE later_things (id TEXT PRIMARY KEY)`
/** Time in which a node looks for due runs several times. */
const someLooksMs = 3_500

/** Only for hangs. */
const hangMs = 180_000

const acts = (skill: 'never' | 'verify') =>
  `  - { id: ${skill}, uses: acting.${skill}, connection: acting, with: { id: '\${{ alert.id }}' } }\n`
/** Shorter than the shortest wait for which a run is parked: it keeps its turn. */
const shortWaits = (times: number) => '  - wait: 900ms\n'.repeat(times)

function playbook(name: string, steps: string): string {
  const head = `apiVersion: tocsin/v1\nname: ${name}\ndescription: Acts on both sides of a pause.`
  return `${head}\non: { alert: { type: ${name} } }\nsteps:\n${steps}`
}

describePostgres('nodes of two versions on one database', () => {
  let sandbox: EffectSandbox
  let cluster: TestCluster
  let old: ClusterNode
  let young: ClusterNode

  before(async () => {
    sandbox = await startSandbox()
    cluster = await startTestCluster({
      nodes: 1,
      version: older,
      migrations: { [newer]: migration },
      plugin: actingPlugin,
      playbooks: {
        quick: playbook('quick', acts('never')),
        parked: playbook('parked', `${acts('never')}  - wait: 3s\n${acts('verify')}`),
        busy: playbook('busy', `${shortWaits(8)}${acts('verify')}`),
        drained: playbook('drained', `${acts('never')}${shortWaits(8)}${acts('verify')}`),
      },
      egress: new URL(sandbox.url).host,
    })
    old = cluster.nodes[0]!
    await connectPlugin(cluster, 'acting', sandbox.url)
  })
  after(async () => {
    await cluster?.close()
    await sandbox?.close()
  })

  const query = (sql: string) => cluster.database.query(sql)

  /** Gives the id of the alert. */
  async function post(node: ClusterNode, type: string): Promise<string> {
    const body = {
      alert_provider: 'custom',
      organization_code: 'main',
      alert_type: type,
      alert_content: type,
    }
    const { status, body: made } = await cluster.call(node, '/alerts', { body })
    expect(status, JSON.stringify(made)).to.equal(201)
    return made.alert_id
  }

  interface RunState {
    readonly status: string
    readonly owner: string | null
    readonly turn: number
    /** Whether it waits for its next turn and may have it now. */
    readonly isDue: boolean
    /** Version that had it last. */
    readonly version: string | undefined
  }

  async function stateOf(alert: string): Promise<RunState> {
    const [row] = await query(
      `SELECT r.status, r.owner, r.turn, r.wake_at, r.program FROM runs r JOIN alerts a ON a.id = r.alert_id
       WHERE a.sequence = ${alert.split('-').at(-1)}`,
    )
    const { status, owner, turn, wake_at: wakeAt, program } = row ?? expect.fail(`no run for ${alert}`)
    return {
      status: String(status),
      owner: owner as string | null,
      turn: Number(turn),
      isDue: owner === null && wakeAt !== null && Number(wakeAt) <= Date.now(),
      version: versionOfOrdered(String(program)),
    }
  }

  /** How often the skills of the run have acted. */
  const effectsOf = (alert: string) =>
    Object.fromEntries(
      ['never', 'verify'].map((skill) => [
        skill,
        sandbox.effects.filter((effect) => effect.skill === `${skill}/${alert}`).length,
      ]),
    )
  const hasActed = (alert: string, skill: string) =>
    eventually(`${skill} of ${alert}`, () => effectsOf(alert)[skill] === 1 || undefined)
  const completed = (alert: string) =>
    eventually(`the end of the run of ${alert}`, async () => {
      const run = await stateOf(alert)
      if (run.status === 'failed') expect.fail(`the run of ${alert} failed`)
      return run.status === 'completed' ? run : undefined
    })

  it('work on while the newer one migrates the tables, and the older one starts again on them', async function () {
    this.timeout(hangMs)
    expect((await completed(await post(old, 'quick'))).version).to.equal(older)
    const version = async () => (await query('SELECT version, program FROM tocsin_schema'))[0]
    const before = await version()
    young = await cluster.add(newer)
    const after = await version()
    expect(Number(after?.['version'])).to.equal(Number(before?.['version']) + 1)
    await completed(await post(old, 'quick'))
    await completed(await post(young, 'quick'))
    expect((await old.server.stop()).code).to.equal(0)
    await cluster.restart(old)
    await completed(await post(old, 'quick'))
    expect(await version()).to.deep.equal(after)
    const { data } = (await cluster.call(old, '/nodes')).body
    const present = data.filter(({ state }: any) => state !== 'gone').map((each: any) => each.version)
    expect(present).to.have.members([older, newer])
  })

  it('give a run that the older one began to the newer one', async function () {
    this.timeout(hangMs)
    const alert = await post(old, 'parked')
    await hasActed(alert, 'never')
    expect((await stateOf(alert)).version).to.equal(older)
    await old.server.stop()
    expect((await completed(alert)).version).to.equal(newer)
    expect(effectsOf(alert)).to.deep.equal({ never: 1, verify: 1 })
    await cluster.restart(old)
  })

  /** The older node is alone, and the run is due. */
  async function expectLeftToNewer(alert: string): Promise<void> {
    const due = await eventually('the run is due', async () => {
      const run = await stateOf(alert)
      return run.isDue ? run : undefined
    })
    await sleep(someLooksMs)
    expect(await stateOf(alert)).to.deep.equal(due)
    const waiting = [{ version: newer, runs: 1 }]
    const told = await eventually('the older node tells of the run', async () => {
      const { body } = await cluster.call(old, '/nodes')
      return body.waiting_for_newer.length > 0 ? body : undefined
    })
    expect(told.waiting_for_newer).to.deep.equal(waiting)
    const own = told.data.find(({ version, state }: any) => version === older && state === 'ok')
    await eventually('the error is reported', async () => {
      const { body } = await cluster.call(old, '/nodes')
      const { last_error: error } = body.data.find(({ node_id: id }: any) => id === own.node_id)
      return error?.message.includes('runs wait for a node') || undefined
    })
    await cluster.restart(young)
    const run = await completed(alert)
    expect(run).to.include({ version: newer })
    expect((await cluster.call(old, '/nodes')).body.waiting_for_newer).to.deep.equal([])
  }

  it('leave a run that the newer one has had until that is back', async function () {
    this.timeout(hangMs)
    const alert = await post(young, 'parked')
    await hasActed(alert, 'never')
    expect((await stateOf(alert)).version).to.equal(newer)
    await young.server.stop()
    await expectLeftToNewer(alert)
    expect(effectsOf(alert)).to.deep.equal({ never: 1, verify: 1 })
  })

  it('leave a run whose newer node was killed in its turn', async function () {
    this.timeout(hangMs)
    const alert = await post(young, 'busy')
    const id = await cluster.idOf(young)
    await eventually(
      'the newer node has the run',
      async () => (await stateOf(alert)).owner === id || undefined,
    )
    await young.server.stop('SIGKILL')
    await expectLeftToNewer(alert)
    expect(effectsOf(alert)).to.deep.equal({ never: 0, verify: 1 })
  })

  it('hand turns over at once when the older one gets SIGTERM, and no effect happens twice', async function () {
    this.timeout(hangMs)
    const alerts = await Promise.all(Array.from({ length: 12 }, () => post(old, 'drained')))
    for (const alert of alerts) await hasActed(alert, 'never')
    const id = await cluster.idOf(old)
    const numbers = alerts.map((alert) => alert.split('-').at(-1)).join(', ')
    const held = async () => {
      const [row] = await query(
        `SELECT count(*) AS count FROM runs r JOIN alerts a ON a.id = r.alert_id
         WHERE a.sequence IN (${numbers}) AND r.ended_at IS NULL AND (r.owner = '${id}' OR r.owner IS NULL AND r.wake_at <= ${Date.now()})`,
      )
      return Number(row?.['count'])
    }
    expect(await held(), 'runs with their turn on the older node').to.be.greaterThan(0)
    const stoppedAt = performance.now()
    const stopped = old.server.stop()
    await eventually('the newer node has all runs', async () => (await held()) === 0 || undefined)
    const tookMs = performance.now() - stoppedAt
    process.stdout.write(`    all turns were handed over ${Math.round(tookMs)} ms after SIGTERM\n`)
    expect(tookMs, 'time of the handover in ms').to.be.lessThan(leaseMs)
    expect((await stopped).code).to.equal(0)
    for (const alert of alerts) {
      expect((await completed(alert)).version).to.equal(newer)
      expect(effectsOf(alert)).to.deep.equal({ never: 1, verify: 1 })
    }
    await cluster.restart(old)
  })

  it('end the repeats of an alert that a node which is gone has left', async function () {
    this.timeout(hangMs)
    const [first, repeat] = [await post(young, 'quick'), await post(young, 'quick')]
    for (const alert of [first, repeat]) await completed(alert)
    const sequence = (alert: string) => alert.split('-').at(-1)
    // As if the node had ended the first alert, and not yet all of its repeats.
    await query(
      `UPDATE alerts SET status = 5, follows = (SELECT id FROM alerts WHERE sequence = ${sequence(first)})
       WHERE sequence = ${sequence(repeat)}`,
    )
    await old.server.stop()
    await eventually('the end of the repeat', async () => {
      const [row] = await query(`SELECT status FROM alerts WHERE sequence = ${sequence(repeat)}`)
      return Number(row?.['status']) === 15 || undefined
    })
    await cluster.restart(old)
  })

  it('refuse to start an older one if the tables need a newer one', async function () {
    this.timeout(hangMs)
    await old.server.stop()
    await query('UPDATE tocsin_schema SET oldest = version')
    const error = await cluster.restart(old).then(
      () => undefined,
      (reason: unknown) => reason as Error,
    )
    expect(error?.message).to.include(`Start Tocsin ${newer} or later`)
    expect((await cluster.call(young, '/nodes')).status).to.equal(200)
  })
})
