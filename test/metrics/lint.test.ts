import { expect } from 'chai'
import { watchRequests } from '../../server/egress/watch-requests.ts'
import { createMetrics } from '../../server/metrics/metrics.ts'
import { lintExposition } from './lint-exposition.ts'
import { checkMetrics, hasPromtool } from './promtool.ts'

const family = (name: string, type: string, samples: string) =>
  `# HELP ${name} Help.\n# TYPE ${name} ${type}\n${samples}`
const histogram = (samples: string) => family('a_seconds', 'histogram', samples)

/** Metrics with a problem, and whether every version of promtool reports it. */
const mistakes: Readonly<Record<string, readonly [text: string, byPromtool: boolean]>> = {
  'no help': ['# TYPE a gauge\na 1\n', true],
  'no type': ['# HELP a Help.\na 1\n', false],
  'no base unit': [family('a_milliseconds', 'gauge', 'a_milliseconds 1\n'), true],
  'a counter without _total': [family('a', 'counter', 'a 1\n'), true],
  '_total, and no counter': [family('a_total', 'gauge', 'a_total 1\n'), true],
  'an ending of histograms': [family('a_count', 'gauge', 'a_count 1\n'), true],
  'a label of histograms': [family('a', 'gauge', 'a{le="1"} 1\n'), true],
  'a label of summaries': [family('a', 'gauge', 'a{quantile="1"} 1\n'), true],
  'a type in the name': [family('a_gauge', 'gauge', 'a_gauge 1\n'), true],
  'a colon, which is for rules': [family('a:b', 'gauge', 'a:b 1\n'), true],
  'camel case': [family('a', 'gauge', 'a{someLabel="1"} 1\n'), true],
  'an abbreviated unit': [family('a_ms', 'gauge', 'a_ms 1\n'), true],
  'the same sample twice': [family('a', 'gauge', 'a{b="1"} 1\na{b="1"} 2\n'), false],
  'described twice': [family('a', 'gauge', 'a 1\n') + family('a', 'gauge', 'a 2\n'), true],
  'buckets that do not add up': [
    histogram(
      'a_seconds_bucket{le="1"} 2\na_seconds_bucket{le="+Inf"} 1\na_seconds_sum 1\na_seconds_count 1\n',
    ),
    false,
  ],
}

describe('the metrics linter', () => {
  for (const [problem, [text, byPromtool]] of Object.entries(mistakes)) {
    it(`reports: ${problem}`, () => {
      expect(lintExposition(text).map((found) => found.split(': ')[1])).to.include(problem)
    })

    if (!byPromtool) continue
    it(`agrees with promtool: ${problem}`, function () {
      if (!hasPromtool) return this.skip()
      expect(checkMetrics(text)).to.not.equal('')
    })
  }

  for (const text of [
    'a 1\n',
    '# HELP a Help.\n# TYPE a gauge\nb 1\n',
    '# HELP a Help.\n# TYPE a gauge\na{b=c} 1\n',
    '# HELP a Help.\n# TYPE a gauge\na{b="\\x"} 1\n',
    '# HELP a Help.\n# TYPE a gauge\na one\n',
    '# HELP a Help.\n# TYPE a gauge\na 1',
    '# HELP a Help.\n# TYPE a gauge\na{b="1",b="2"} 1\n',
  ]) {
    it(`refuses malformed text: ${JSON.stringify(text)}`, () => {
      expect(() => lintExposition(text)).to.throw()
    })
  }
})

describe('the metrics of the server', () => {
  const metrics = createMetrics({ dataDir: import.meta.dirname })
  after(() => metrics.close())

  /** With at least one sample per family, and unusual label values. */
  async function text(): Promise<string> {
    metrics.committed({ writes: 3, durationMs: 7 })
    const answered = { route: '/alerts/{id}', durationMs: 12, isNewAlert: false }
    metrics.requestAnswered({ ...answered, method: 'GET', status: 200 })
    metrics.requestAnswered({ ...answered, route: undefined, method: 'BREW"\n\\', status: 418 })
    metrics.requestAnswered({ ...answered, method: 'POST', status: 201, isNewAlert: true })
    metrics.requestAnswered({ ...answered, method: 'POST', status: 503, isNewAlert: true })
    metrics.runEnded({ status: 'failed', playbookName: 'p"\n\\' })
    metrics.alertGrouped()
    metrics.alertCorrelated()
    await metrics.watchSkills(async () => ({}))({ skill: 'a.b' } as never)
    const none = async () => ({ status: 204 }) as never
    const watched = watchRequests({ send: none, connect: none, close() {} }, metrics.requestSent)
    await watched.send({ plugin: 'a' } as never)
    await watched.connect({ plugin: 'a' } as never)
    metrics.watchEngine({
      active: () => 1,
      suspects: () => 0,
      storms: () => 2,
      isPaused: () => true,
      isFolderRefused: () => true,
      playbooks: () => [],
    })
    const work = {
      queued: 1,
      running: 2,
      waiting: 3,
      oldestQueuedMs: 4500,
      questions: 5,
      approvals: 6,
      unknownSteps: 7,
      overdueCases: 3,
      events: 8,
      rateLimited: { runs: 8, steps: 9 },
    }
    const byState = { active: 1, undoing: 2, failed: 3, unknown: 4, overdue: 5 }
    const containments = { standing: async () => ({ byState, oldestMs: 6, failedChecks: 7 }) }
    const keys = { list: async () => [{ revokedAt: null, expiresAt: 9, isOwnerDisabled: false }] }
    const runs = { unfinishedWork: async () => work }
    const databaseBytes = async () => 10
    metrics.watchNodes(async () => ({ live: 2, leaseLeftMs: 4_500 }))
    // The event loop is measured twice a second.
    for (;;) {
      const found = await metrics.text({ runs, containments, keys, databaseBytes } as never, 0)
      if (found.includes('tocsin_event_loop_lag_seconds_count')) return found
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }

  it('follow the format and the naming conventions', async () => {
    const found = await text()
    expect(lintExposition(found)).to.deep.equal([])
    const empty = found
      .split('\n')
      .filter((line, at, lines) => line.startsWith('# TYPE') && lines[at + 1]?.startsWith('#'))
    expect(empty, 'without a sample').to.deep.equal([])
  })

  it('pass promtool if installed', async function () {
    if (!hasPromtool) return this.skip()
    expect(checkMetrics(await text())).to.equal('')
  })
})
