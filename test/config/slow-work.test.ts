import fs from 'node:fs'
import { expect } from 'chai'
import { restore, stub, useFakeTimers, type SinonFakeTimers } from 'sinon'
import type { Run } from '../../core/domain/run.ts'
import type { LogFields } from '../../core/ports/log.ts'
import { readConfig } from '../../server/config/config.ts'
import { watchSlowWork } from '../../server/slow-work.ts'
import { SqliteConnection } from '../../server/sqlite/database/connection.ts'
import { eventually } from '../support/eventually.ts'
import { startTestTocsin } from '../support/server/test-tocsin.ts'

describe('slow operations in the log', () => {
  let timers: SinonFakeTimers
  let lines: [LogFields, string][]

  beforeEach(() => {
    timers = useFakeTimers()
    lines = []
  })
  afterEach(() => timers.restore())

  function watch(slowRunMs = 300_000) {
    const warn = (fields: LogFields, message: string) => void lines.push([fields, message])
    const never = () => expect.fail('only warnings are expected')
    return watchSlowWork({ log: { debug: never, info: never, warn, error: never }, slowRunMs })
  }
  const run = (durationMs: number, uuid = 'u-1'): Run =>
    ({
      uuid,
      alertId: 'acme-SIEM-1',
      playbookName: 'look',
      status: 'failed',
      createdAt: 1_000,
      startedAt: 1_000 + durationMs / 2,
      endedAt: 1_000 + durationMs,
    }) as Run

  it('reports a commit of one second, with its writes', () => {
    const slow = watch()
    slow.committed({ writes: 3, durationMs: 999.9 })
    slow.committed({ writes: 4, durationMs: 1_000.4 })
    expect(lines).to.deep.equal([[{ count: 4, duration_ms: 1000 }, 'slow commit']])
  })

  it('reports a run over the threshold from alert to end, with its ids', () => {
    const slow = watch()
    slow.runEnded(run(299_999))
    slow.runEnded(run(300_000))
    const ids = { run: 'u-1', alert: 'acme-SIEM-1', playbook: 'look', status: 'failed' }
    expect(lines).to.deep.equal([[{ ...ids, duration_ms: 300_000 }, 'slow run']])
  })

  it('reports a run without an alert', () => {
    watch().runEnded({ ...run(300_000), alertId: null })
    expect(lines).to.have.length(1)
    expect(lines[0]?.[0]).to.include({ run: 'u-1', alert: undefined })
  })

  it('reports no run with threshold 0, and no unfinished run', () => {
    watch(0).runEnded(run(9e9))
    watch().runEnded({ ...run(9e9), endedAt: null })
    expect(lines).to.deep.equal([])
  })

  it('writes ten lines of a kind per minute, then counts the others', () => {
    const slow = watch()
    for (let n = 0; n < 13; n++) slow.runEnded(run(400_000 + n * 1_000, `u-${n}`))
    slow.committed({ writes: 1, durationMs: 2_000 })
    expect(lines.map(([, message]) => message)).to.deep.equal([...Array(10).fill('slow run'), 'slow commit'])
    timers.tick(59_999)
    expect(lines).to.have.length(11)
    timers.tick(1)
    expect(lines.slice(11)).to.deep.equal([
      [{ count: 3, duration_ms: 412_000 }, 'slow run: more within a minute'],
    ])
    slow.runEnded(run(500_000, 'next'))
    expect(lines.at(-1)?.[0]).to.include({ run: 'next', duration_ms: 500_000 })
    timers.tick(60_000)
    expect(lines, 'nothing was suppressed').to.have.length(13)
  })

  it('writes pending counts at the end of the server', () => {
    const slow = watch()
    for (let n = 0; n < 11; n++) slow.committed({ writes: 1, durationMs: 1_500 })
    slow.flush()
    slow.flush()
    expect(lines.slice(10)).to.deep.equal([
      [{ count: 1, duration_ms: 1_500 }, 'slow commit: more within a minute'],
    ])
    timers.tick(120_000)
    expect(lines).to.have.length(11)
  })
})

describe('slow operations of a server', function () {
  afterEach(() => restore())

  it('are logged with ids and durations', async () => {
    const lines: Record<string, unknown>[] = []
    const writeSync = fs.writeSync.bind(fs)
    stub(fs, 'writeSync').callsFake((fd, text) => {
      if (fd !== 2) return writeSync(fd, text)
      lines.push(JSON.parse(text) as Record<string, unknown>)
      return Buffer.byteLength(text)
    })
    const asks = `apiVersion: tocsin/v1
name: asks
on: { alert: { type: asks } }
steps: [{ id: q, checkpoint: { via: operator, with: { message: x }, answers: [yes], timeout: 1h } }]
`
    const env = { TOCSIN_LOG_LEVEL: 'warn' }
    const tocsin = await startTestTocsin({ inProcess: true, playbooks: { asks }, env })
    try {
      const { body } = await tocsin.post('asks')
      const question = await eventually(
        'the question',
        async () => (await tocsin.call('/checkpoints')).body.data[0],
      )
      const now = Date.now.bind(Date)
      stub(Date, 'now').callsFake(() => now() + 400_000)
      delayCommits(1_500)
      await tocsin.call(`/checkpoints/${question.checkpoint_id}/answer`, { body: { answer: 'yes' } })
      const [{ run_uuid: run }] = await tocsin.endedRuns(1)
      const slowRun = lines.find(({ message }) => message === 'slow run')
      expect(slowRun).to.include({ run, alert: body.alert_id, playbook: 'asks', status: 'completed' })
      expect(slowRun?.['duration_ms']).to.be.within(400_000, 500_000)
      const slowCommit = lines.find(({ message }) => message === 'slow commit')
      expect(slowCommit?.['count']).to.be.above(0)
      expect(slowCommit?.['duration_ms']).to.be.at.least(1_500)
    } finally {
      await tocsin.close()
    }
  })

  /** Simulates a disk that takes this long per commit. */
  function delayCommits(ms: number): void {
    let delayed = 0
    const now = performance.now.bind(performance)
    stub(performance, 'now').callsFake(() => now() + delayed)
    const run = SqliteConnection.prototype.run
    stub(SqliteConnection.prototype, 'run').callsFake(function (this: SqliteConnection, sql, ...values) {
      if (sql === 'COMMIT') delayed += ms
      return run.call(this, sql, ...values)
    })
  }
})

describe('TOCSIN_SLOW_RUN_SECONDS', () => {
  it('defaults to five minutes', () => {
    expect(readConfig({}).slowRunMs).to.equal(300_000)
    expect(readConfig({ TOCSIN_SLOW_RUN_SECONDS: '0' }).slowRunMs).to.equal(0)
    expect(readConfig({ TOCSIN_SLOW_RUN_SECONDS: '7' }).slowRunMs).to.equal(7_000)
  })
})
