import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import type { RunningSandbox } from '../../core/plugin/index.ts'
import { readConfig } from '../../server/config/config.ts'
import { openStores } from '../../server/store/open-stores.ts'
import { killCommands } from '../support/server/run-tocsin.ts'
import { startServer, type RunningServer } from '../support/server/start-server.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { connectionTo, startSandbox } from '../support/server/test-tocsin.ts'
import { makeRandom, rounds, seed, times } from '../support/random.ts'
import { unfinishedRuns } from '../support/unfinished-runs.ts'

const kills = rounds(3)
/** Alerts posted concurrently. */
const senders = 6

/** Choosing it evaluates an expression, so its alerts are stored first and queued in a second write. */
const chosenPlaybook = `apiVersion: tocsin/v1
name: chosen
description: Investigates alerts of one type whose content it reads.
on: { alert: { type: type_0, where: 'alert.content.contains("198.51.100.")' } }
steps:
  - { id: wait, wait: 50ms }
`

describe(`a server killed with kill -9 under load (seed ${seed})`, function () {
  this.timeout(times(90_000))
  let folder: TemporaryFolder
  let sandbox: RunningSandbox
  let adminKey: string | undefined

  before(async () => {
    folder = await makeTemporaryFolder()
    await mkdir(join(folder.path, 'playbooks'))
    await writeFile(join(folder.path, 'playbooks/chosen.yaml'), chosenPlaybook)
    sandbox = await startSandbox('intel_provider')
  })
  after(async () => {
    await killCommands()
    await sandbox?.close()
    await folder?.remove()
  })

  async function start(): Promise<RunningServer> {
    const env = { TOCSIN_ALLOW_PRIVATE_EGRESS: new URL(sandbox.url).host, TOCSIN_WORKERS: '1' }
    const known = adminKey === undefined ? {} : { adminKey }
    const server = await startServer({ cwd: folder.path, dataDir: 'data', env, ...known })
    adminKey = server.adminKey
    return server
  }

  /** Posts alerts one after the other until the server is gone; returns the ids answered with 201. */
  async function send(server: RunningServer, sender: number, onAnswer: () => void): Promise<string[]> {
    const answered: string[] = []
    for (let n = 0; ; n++) {
      const body = {
        alert_provider: sender % 2 === 0 ? 'custom' : 'splunk',
        organization_code: 'main',
        alert_type: `type_${sender % 3}`,
        alert_content: `from 198.51.100.${n % 250} to sender${sender}.example.com`,
      }
      try {
        const reply = await server.call('/alerts', { body })
        if (reply.status !== 201) throw new Error(`answered ${reply.status}: ${JSON.stringify(reply.body)}`)
        answered.push(reply.body.alert_id)
        onAnswer()
      } catch (error) {
        if (error instanceof TypeError || error instanceof SyntaxError) return answered // cut off
        throw error
      }
    }
  }

  async function all(server: RunningServer, path: string): Promise<any[]> {
    const found: unknown[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const from = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
      const { status, body } = await server.call(`${path}?limit=200${from}`)
      expect(status, JSON.stringify(body)).to.equal(200)
      found.push(...body.data)
      cursor = body.next_cursor
    }
    return found
  }

  async function countUnfinished(): Promise<{ readonly runs: number; readonly created: number }> {
    const config = readConfig({ TOCSIN_DATA_DIR: join(folder.path, 'data') })
    const stores = await openStores(config, 'shared')
    const runs = await unfinishedRuns(stores)
    const created = await stores.alerts.awaitingInvestigation(2 * senders)
    await stores.close()
    return { runs: runs.length, created: created.length }
  }

  it('keeps every alert it answered with 201, and ends each investigation once with one case', async () => {
    const random = makeRandom(seed)
    const answered = new Set<string>()
    let cutOff = 0
    let created = 0
    for (let round = 0; round < kills || ((created === 0 || cutOff === 0) && round < 5 * kills); round++) {
      const server = await start()
      if (round === 0) {
        const { status } = await server.call('/connections', { body: connectionTo(sandbox, 'intel') })
        expect(status).to.equal(201)
      }
      // Waits until runs are active, even on a slow machine; then kills at a random time.
      const { promise: underWay, resolve: begun } = Promise.withResolvers<void>()
      let left = 2 * senders
      const onAnswer = () => void (--left === 0 && begun())
      const sending = Array.from({ length: senders }, (_, sender) => send(server, sender, onAnswer))
      await underWay
      await sleep(random() * 250)
      await server.stop('SIGKILL')
      for (const ids of await Promise.all(sending)) for (const id of ids) answered.add(id)
      const unfinished = await countUnfinished()
      cutOff += unfinished.runs
      created += unfinished.created
    }
    expect(answered.size, 'alerts answered').to.be.greaterThan(kills * senders)
    expect(cutOff, 'investigations that a kill cut off').to.be.greaterThan(0)
    expect(created, 'alerts that a kill left at Created').to.be.greaterThan(0)

    const server = await start()
    const alerts = await ended(server)
    const stored = new Set(alerts.map((alert) => alert.alert_id))
    expect(
      [...answered].filter((id) => !stored.has(id)),
      'answered and lost',
    ).to.deep.equal([])
    expect(gaps(alerts.map((alert) => alert.alert_id))).to.deep.equal([])

    const cases = await all(server, '/cases')
    expect(new Set(alerts.map((alert) => alert.case_id)).size, 'cases that alerts name').to.equal(
      alerts.length,
    )
    expect(cases.length, 'cases there are').to.equal(alerts.length)
    const runs = await all(server, '/runs')
    expect(new Set(runs.map((run) => run.alert_id)).size, 'alerts with a run').to.equal(alerts.length)
    expect(runs.length, 'runs there are').to.equal(alerts.length)
    for (const { case_id } of cases.filter((_, index) => index % 7 === 0)) {
      const { body } = await server.call(`/cases/${case_id}`)
      const ends = body.timeline.filter((entry: { kind: string }) => entry.kind === 'run_ended')
      expect(ends, `ends in the timeline of ${case_id}`).to.have.length(1)
    }
    expect(await server.stop()).to.include({ code: 0, signal: null })
  })

  /** All alerts, once each is Completed or Failed. */
  async function ended(server: RunningServer): Promise<any[]> {
    const patience = Date.now() + 60_000
    for (;;) {
      const alerts = await all(server, '/alerts')
      if (alerts.every((alert) => alert.investigation_status >= 15)) return alerts
      expect(Date.now(), 'all investigations end in time').to.be.lessThan(patience)
      await sleep(200)
    }
  }
})

/** Missing or duplicate numbers of a sequence. */
function gaps(ids: readonly string[]): string[] {
  const sequences = Map.groupBy(ids, (id) => id.slice(0, id.lastIndexOf('-')))
  return [...sequences].flatMap(([name, own]) => {
    const numbers = own.map((id) => Number(id.slice(name.length + 1))).toSorted((a, b) => a - b)
    return numbers.flatMap((number, index) => (number === index + 1 ? [] : [`${name}-${index + 1}`]))
  })
}
