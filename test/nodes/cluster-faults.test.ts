import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { readConfig } from '../../server/config/config.ts'
import { openStores } from '../../server/store/open-stores.ts'
import { startSandbox, type EffectSandbox } from '../crash/sandbox.ts'
import { eventually } from '../support/eventually.ts'
import { describePostgres } from '../support/postgres.ts'
import { makeRandom, seed, times } from '../support/random.ts'
import { connectPlugin } from './support/connect-plugin.ts'
import { actingPlaybook, slowlyActingPlugin } from './support/acting-plugin.ts'
import { AlertSenders } from './support/alert-senders.ts'
import { ClusterFaults, faultKinds, type FaultReport } from './support/cluster-faults.ts'
import { findRepeatedChanges, observeChanges, readCalls } from './support/observed-changes.ts'
import { startSupervisedCluster, type SupervisedCluster } from './support/supervised-cluster.ts'

const faults = times(4)
const senders = 6
/** Acknowledged before the first fault. */
const firstAlerts = 50
/** Each sender pauses between its alerts, in milliseconds. */
const pauseMs = 100
/** Until each run of a dead node has its next turn, in milliseconds: a busy machine may take twice as long. */
const takeoverMs = 10_000
const settledMs = 90_000

/** A line for each fault, as it happens. */
const record = join(import.meta.dirname, '../../.build/cluster-faults.jsonl')

describePostgres(`several nodes whose processes and database fail under load (seed ${seed})`, function () {
  let sandbox: EffectSandbox
  let cluster: SupervisedCluster
  let load: AlertSenders
  let chaos: ClusterFaults
  const reports: FaultReport[] = []

  before(async function () {
    this.timeout(3 * settledMs)
    mkdirSync(join(record, '..'), { recursive: true })
    writeFileSync(record, '')
    note({ seed, faults })
    sandbox = await startSandbox()
    cluster = await startSupervisedCluster({
      nodes: 3,
      plugin: slowlyActingPlugin,
      playbooks: { act: actingPlaybook },
      egress: new URL(sandbox.url).host,
      onEnd({ node, code, output }) {
        note({ ended: node.name, code, output })
        chaos.ended({ node, code, output })
      },
    })
    await observeChanges(cluster.database)
    await connectPlugin(cluster, 'acting', sandbox.url)
  })
  after(async () => {
    await load?.stop()
    await cluster?.close()
    await sandbox?.close()
  })

  const query = (sql: string) => cluster.database.query(sql)

  it('keep each acknowledged alert, end each run once, and repeat no effect', async function () {
    this.timeout(faults * 60_000 + 3 * settledMs)
    load = new AlertSenders(cluster, senders, pauseMs)
    chaos = new ClusterFaults(cluster, load, makeRandom(seed))
    await eventually('some load', () => (load.acknowledged.length >= firstAlerts ? true : undefined))
    for (let n = 0; n < faults; n++) {
      const report = await chaos.do(faultKinds[n] ?? chaos.next())
      reports.push(report)
      note({ n: n + 1, ...report, alerts: load.acknowledged.length })
      await expectKept()
    }
    await load.stop()
    await chaos.settled()
    await expectAllSettled()
    const calls = await readCalls(cluster.database, sandbox)
    const unknown = calls.filter(({ state }) => state === 'unknown')
    const figures = [
      ...figuresOf(reports),
      `${load.acknowledged.length} alerts, ${load.resent} requests sent again`,
      `${calls.length} calls, ${unknown.length} unknown, ${sandbox.effects.length} effects`,
    ]
    note({ figures })
    for (const line of figures) process.stdout.write(`    ${line}\n`)
    expectRight(calls)
    for (const { run, path, effects } of unknown) await decide(run, path, effects.length > 0)
    await allEnded()
    expectRight(await readCalls(cluster.database, sandbox))
    expect(await findRepeatedChanges(cluster.database)).to.deep.equal([])
    expect(load.problems, 'answers to senders').to.deep.equal([])
    expect(
      chaos.unexpected.map(({ node, code, output }) => `${node.name} ended with ${code}: ${output}`),
    ).to.deep.equal([])
    await expectWholeAudit()
    if (times(1) === 1) return // beside other tests, which may take all processors
    const takeovers = sorted(reports.map(({ takeoverMs: took }) => took))
    expect(middle(takeovers) ?? 0, 'median of takeovers in ms').to.be.lessThan(takeoverMs)
    expect(takeovers.at(-1) ?? 0, 'longest takeover in ms').to.be.lessThan(2 * takeoverMs)
  })

  /** Of the alerts whose acknowledgement is new. */
  let kept = 0
  async function expectKept(): Promise<void> {
    const answered = load.acknowledged.slice(kept)
    kept += answered.length
    const list = answered.map(({ id }) => Number(id.split('-').at(-1))).join(', ')
    const rows = await query(`SELECT sequence FROM alerts WHERE sequence IN (${list || 'NULL'})`)
    const found = new Set(rows.map(({ sequence }) => Number(sequence)))
    const lost = answered.filter(({ id }) => !found.has(Number(id.split('-').at(-1))))
    expect(lost, 'acknowledged alerts that are lost').to.deep.equal([])
  }

  async function expectAllSettled(): Promise<void> {
    const ids = load.acknowledged.map(({ id }) => id)
    expect(ids.length).to.be.greaterThan(faults)
    expect(new Set(ids).size, 'ids are not given twice').to.equal(ids.length)
    await allEnded()
    const alerts = await query(
      `SELECT a.sequence, count(r.id) AS runs FROM alerts a LEFT JOIN runs r ON r.alert_id = a.id GROUP BY a.id`,
    )
    const byNumber = new Map(alerts.map(({ sequence, runs }) => [Number(sequence), Number(runs)]))
    const lost = ids.filter((id) => byNumber.get(Number(id.split('-').at(-1))) !== 1)
    expect(lost, 'acknowledged alerts without exactly one run').to.deep.equal([])
    const [runs] = await query(`SELECT count(*) AS count FROM runs`)
    expect(Number(runs?.['count'])).to.equal(alerts.length)
  }

  function expectRight(calls: Awaited<ReturnType<typeof readCalls>>): void {
    const problems = calls.map(({ problem }) => problem).filter((problem) => problem !== undefined)
    expect(problems).to.deep.equal([])
  }

  /** As a person who has looked into the other system. */
  async function decide(run: string, path: string, hasRun: boolean): Promise<void> {
    const body = { path, decision: hasRun ? 'ran_output_unknown' : 'run_again' }
    const node = cluster.nodes[Math.floor(Math.random() * cluster.nodes.length)]!
    const { status, body: answer } = await cluster.call(node, `/runs/${run}/resolve`, { body })
    expect(status, JSON.stringify(answer)).to.equal(200)
  }

  /** Or waits for a person. */
  async function allEnded(): Promise<void> {
    const giveUpAt = performance.now() + settledMs
    while ((await unsettled()) > 0) {
      if (performance.now() > giveUpAt) expect.fail(`${await unsettled()} runs or alerts have not ended`)
      await sleep(100)
    }
  }

  /** Runs that neither have ended nor wait for a person, and alerts without a run. */
  async function unsettled(): Promise<number> {
    const [left] = await query(
      `SELECT (SELECT count(*) FROM runs r WHERE ended_at IS NULL
           AND NOT EXISTS (SELECT 1 FROM journal j WHERE j.run_id = r.id AND j.state = 'unknown'))
         + (SELECT count(*) FROM alerts WHERE status = 0) AS count`,
    )
    return Number(left?.['count'])
  }

  async function expectWholeAudit(): Promise<void> {
    const stores = await openStores(readConfig(cluster.environment), 'shared')
    const { broken } = await stores.audit.verify()
    await stores.close()
    expect(broken).to.equal(null)
  }
})

function note(line: object): void {
  appendFileSync(record, `${JSON.stringify({ at: new Date().toISOString(), ...line })}\n`)
}

const sorted = (values: readonly (number | undefined)[]): readonly number[] =>
  values.filter((value) => value !== undefined).toSorted((one, other) => one - other)

const middle = (values: readonly number[]): number | undefined => values[Math.floor(values.length / 2)]

function figuresOf(reports: readonly FaultReport[]): readonly string[] {
  const counts = Object.entries(Object.groupBy(reports, ({ kind }) => kind))
  const spread = (name: string, given: readonly (number | undefined)[]): string => {
    const values = sorted(given)
    const figures = `${values[0]} / ${middle(values)} / ${values.at(-1)} ms (least, median, most)`
    return `${name}: ${values.length === 0 ? 'none' : `${values.length}, ${figures}`}`
  }
  return [
    `${reports.length} faults: ${counts.map(([kind, list]) => `${list.length} ${kind}`).join(', ')}`,
    spread(
      'takeovers',
      reports.map((report) => report.takeoverMs),
    ),
    spread(
      'runs of nodes that came back',
      reports.map((report) => report.resumedMs),
    ),
    spread(
      'takeovers of suspects',
      reports.map((report) => report.suspectsMs),
    ),
    spread(
      'promotions until the first acknowledged alert',
      reports.map((report) => report.acknowledgedMs),
    ),
  ]
}
