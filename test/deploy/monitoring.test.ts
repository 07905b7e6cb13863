import { spawnSync } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { parse, stringify } from 'yaml'
import { hasPromtool } from '../metrics/promtool.ts'
import { readExposition } from '../metrics/read-exposition.ts'
import { startTestTocsin, type TestTocsin } from '../support/server/test-tocsin.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { noteUntested } from '../support/untested.ts'
import { alertCases } from './alert-cases.ts'
import { namesOf } from './promql-names.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
}
const rulesFile = 'deploy/prometheus/alerts.yml'
const { groups } = parse(read(rulesFile)) as { groups: readonly { rules: readonly Rule[] }[] }
const rules = groups.flatMap((group) => group.rules)

interface Panel {
  readonly title: string
  readonly gridPos: Readonly<Record<'x' | 'y' | 'w' | 'h', number>>
  readonly targets?: readonly { readonly expr: string; readonly legendFormat?: string }[]
}
interface Dashboard {
  readonly uid: string
  readonly title: string
  readonly panels: readonly Panel[]
  readonly templating: { readonly list: readonly { readonly name: string; readonly query: string }[] }
}
const dashboards = globSync('deploy/grafana/dashboards/*.json', { cwd: root }).map(
  (path) => JSON.parse(read(path)) as Dashboard,
)
const queries = dashboards.flatMap(({ title, panels }) =>
  panels.flatMap((panel) =>
    (panel.targets ?? []).map(({ expr, legendFormat = '' }) => ({
      where: `${title}: ${panel.title}`,
      expr,
      legendFormat,
    })),
  ),
)

/** Labels that a scrape adds. */
const ofTheScrape = ['job', 'instance']

describe('alert rules and dashboards', function () {
  let tocsin: TestTocsin
  let folder: TemporaryFolder
  /** Label values of each sample that the server serves, by metric. */
  const served = new Map<string, Map<string, Set<string>>>([['up', new Map()]])
  let families: readonly string[]
  /** Metrics of what all nodes share. */
  let shared: readonly string[]

  before(async () => {
    folder = await makeTemporaryFolder()
    // Some metrics exist only with an export or with failover.
    const env = { TOCSIN_AUDIT_EXPORT: `file:${join(folder.path, 'audit.jsonl')}`, TOCSIN_STANDBY: 'on' }
    tocsin = await startTestTocsin({ inProcess: true, env })
    expect((await tocsin.post('look')).status).to.equal(201)
    const text = await (await tocsin.fetch('/metrics')).text()
    families = readExposition(text).map(({ name }) => name)
    shared = readExposition(text).flatMap(({ name, help }) =>
      help?.endsWith('The same on all nodes.') === true ? [name] : [],
    )
    for (const { name, labels } of readExposition(text).flatMap(({ samples }) => samples)) {
      const known = served.get(name) ?? new Map<string, Set<string>>()
      served.set(name, known)
      for (const [label, value] of labels) known.set(label, (known.get(label) ?? new Set()).add(value))
    }
  })
  after(async () => {
    await tocsin?.close()
    await folder?.remove()
  })

  /** Metrics in an expression that the server does not have. */
  function unknownIn(expr: string, results: readonly string[] = []): readonly string[] {
    const { selectors, labels } = namesOf(expr)
    const unknown = selectors.flatMap(({ metric, matchers }) => {
      const known = served.get(metric)
      if (known === undefined) return [metric]
      return matchers
        .filter(({ label, operator, value }) => {
          if (ofTheScrape.includes(label)) return false
          const values = [...(known.get(label) ?? [])]
          return !values.some((one) =>
            operator.endsWith('~') ? new RegExp(`^(?:${value})$`).test(one) : one === value,
          )
        })
        .map(({ label, value }) => `${metric}{${label}="${value}"}`)
    })
    const ofMetrics = new Set(selectors.flatMap(({ metric }) => [...(served.get(metric)?.keys() ?? [])]))
    const named = [...labels, ...results].filter(
      (label) => !ofMetrics.has(label) && !ofTheScrape.includes(label),
    )
    // A result has the labels of its grouping, if there is one.
    const lost = labels.length === 0 ? [] : results.filter((label) => !labels.includes(label))
    if (selectors.length === 0) unknown.push('no metric')
    return [...unknown, ...named, ...lost]
  }

  it('fail the check with planted bugs', () => {
    for (const [expr, results] of [
      ['tocsin_run', []],
      ['rate(tocsin_alerts_refused_total{state="503"}[5m])', []],
      ['tocsin_runs{state="asleep"}', []],
      ['sum by (skil) (rate(tocsin_skill_call_duration_seconds_count[5m]))', []],
      ['tocsin_alerts_received_total > 1e9 unless on (host) tocsin_engine_paused == 1', []],
      ['tocsin_http_requests_total{status=~"9.."}', []],
      ['tocsin_store_size_bytes', ['path']],
      ['sum by (file) (tocsin_store_size_bytes)', ['instance']],
      ['time()', []],
    ] as const) {
      expect(unknownIn(expr, results), expr).to.have.length.above(0)
    }
    expect(unknownIn('sum by (file) (tocsin_store_size_bytes{file=~"wal|x"})', ['file'])).to.deep.equal([])
  })

  for (const { alert, expr, annotations } of rules) {
    it(`use existing metrics, labels and values: ${alert}`, () => {
      const results = [...JSON.stringify(annotations).matchAll(/\$labels\.(\w+)/g)].map(
        ([, label = '']) => label,
      )
      expect(unknownIn(expr, results)).to.deep.equal([])
    })
  }

  for (const { where, expr, legendFormat } of queries) {
    it(`use existing metrics, labels and values: ${where}: ${legendFormat}`, () => {
      const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label)
      expect(unknownIn(expr.replaceAll('$instance', '.*'), shown)).to.deep.equal([])
      expect(expr, 'the instance that the reader chose').to.include('job="tocsin", instance=~"$instance"')
    })
  }

  /** Metrics that are the same on all nodes, and that an expression adds up. */
  const addedUp = (expr: string): readonly string[] =>
    shared.filter((metric) =>
      new RegExp(`\\b(?:sum|count|avg)\\b[^(]*(?:\\([^()]*\\) *)?\\(${metric}\\b`).test(expr),
    )

  it('add up over nodes only what each node counts for itself', () => {
    expect(shared).to.include.members(['tocsin_runs', 'tocsin_steps_unknown', 'tocsin_engine_paused'])
    expect(shared).to.not.include.members(['tocsin_runs_active', 'tocsin_runs_ended_total'])
    for (const planted of ['sum by (state) (tocsin_runs{job="tocsin"})', 'sum(tocsin_runs)'])
      expect(addedUp(planted), planted).to.deep.equal(['tocsin_runs'])
    for (const expr of [...queries, ...rules].map((each) => each.expr))
      expect(addedUp(expr), expr).to.deep.equal([])
  })

  it('alert once about what all nodes share', () => {
    const perNode = (expr: string) =>
      shared.filter((metric) =>
        new RegExp(`(?<!max (?:without|by) \\(\\w+\\) \\()\\b${metric}\\b`).test(expr),
      )
    expect(perNode('tocsin_steps_unknown > 0')).to.deep.equal(['tocsin_steps_unknown'])
    expect(perNode('max without (instance) (tocsin_steps_unknown) > 0')).to.deep.equal([])
    for (const { alert, expr } of rules.filter((rule) => rule.alert !== 'TocsinNodeGone'))
      expect(perNode(expr), alert).to.deep.equal([])
  })

  it('show every metric in a dashboard', () => {
    const shown = new Set(queries.flatMap(({ expr }) => namesOf(expr).selectors.map(({ metric }) => metric)))
    const bare = [...shown].map((name) => name.replace(/_(bucket|count|sum)$/, ''))
    expect([...new Set(bare)].toSorted()).to.deep.equal(families.toSorted())
  })

  it('have a selector for server instances', () => {
    for (const { title, templating } of dashboards) {
      const query = templating.list.find(({ name }) => name === 'instance')?.query ?? ''
      const [, selector = '', label = ''] = /^label_values\((.*), (\w+)\)$/.exec(query) ?? []
      expect(unknownIn(selector, [label]), title).to.deep.equal([])
    }
  })
})

describe('Grafana dashboards', () => {
  it('have unique ids and titles, and panels that do not overlap', () => {
    expect(new Set(dashboards.map(({ uid }) => uid)).size)
      .to.equal(dashboards.length)
      .and.to.be.above(2)
    for (const { title, panels } of dashboards) {
      const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
        Array.from({ length: w * h }, (_, n) => `${x + (n % w)},${y + Math.floor(n / w)}`),
      )
      expect(new Set(cells).size, title).to.equal(cells.length)
    }
  })
})

describe('alert rules', () => {
  it('each have a severity, a summary and a description', () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).to.equal(rules.length)
    for (const { alert, labels, annotations } of rules) {
      expect(alert).to.match(/^Tocsin[A-Z]/)
      expect(labels['severity'], alert).to.be.oneOf(['critical', 'warning', 'info'])
      expect(Object.keys(annotations), alert).to.deep.equal(['summary', 'description'])
    }
  })

  it('are documented individually', () => {
    const [, section = ''] = /^## Alarms$([^]*?)^## /m.exec(read('docs/monitoring.md')) ?? []
    const documented = [...section.matchAll(/^\| `(Tocsin\w+)`/gm)].map(([, name]) => name)
    expect(documented).to.deep.equal(rules.map(({ alert }) => alert))
  })

  it('each have a firing and a silent test case', () => {
    expect(Object.keys(alertCases)).to.deep.equal(rules.map(({ alert }) => alert))
  })
})

describe('promtool', function () {
  let folder: TemporaryFolder
  before(async function () {
    folder = await makeTemporaryFolder()
    if (hasPromtool) return
    noteUntested('the alert rules and dashboards in deploy/: promtool is not installed')
    this.skip()
  })
  after(() => folder?.remove())

  function promtool(...args: readonly string[]): string {
    const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8' })
    return status === 0 ? '' : `${stdout}${stderr}` || `promtool ended with ${status}`
  }
  function file(name: string, content: unknown): string {
    const path = join(folder.path, name)
    writeFileSync(path, typeof content === 'string' ? content : stringify(content))
    return path
  }

  it('accepts the alert rules', () => {
    expect(promtool('check', 'rules', join(root, rulesFile))).to.equal('')
    const wrong = file('wrong.yml', read(rulesFile).replace('== 0', '== = 0'))
    expect(promtool('check', 'rules', wrong)).to.include('parse error')
  })

  it('accepts the expressions of the dashboards', () => {
    const recorded = queries.map(({ expr }, n) => ({
      record: `panel:${n}`,
      expr: expr.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*'),
    }))
    const path = file('dashboards.yml', { groups: [{ name: 'dashboards', rules: recorded }] })
    expect(promtool('check', 'rules', path)).to.equal('')
  })

  it('accepts the configuration of Prometheus', () => {
    const config = read('deploy/prometheus/prometheus.yml')
    const path = file(
      'prometheus.yml',
      config
        .replace('/run/secrets/tocsin_metrics_key', file('key', 'x'))
        .replace('alerts.yml', join(root, rulesFile)),
    )
    expect(promtool('check', 'config', path)).to.equal('')
  })

  it('confirms that each alert fires only when it should', () => {
    const expectation = (alert: string, isFiring: boolean) => ({
      expr: `count(ALERTS{alertname="${alert}", alertstate="firing"})`,
      eval_time: alertCases[alert]!.at,
      exp_samples: isFiring ? [{ labels: '{}', value: 1 }] : [],
    })
    const tests = rules.flatMap(({ alert }) =>
      (['fires', 'quiet'] as const).map((which) => ({
        name: `${alert} ${which}`,
        interval: '1m',
        input_series: Object.entries(alertCases[alert]![which]).map(([series, values]) => ({
          series,
          values,
        })),
        promql_expr_test: [expectation(alert, which === 'fires')],
      })),
    )
    // What all nodes share, told by two of them, is one alert.
    for (const { alert } of rules.filter(({ expr }) => expr.includes('without (instance)'))) {
      const ofBoth = Object.entries(alertCases[alert]!.fires).flatMap(([series, values]) =>
        ['a', 'b'].map((instance) => ({
          series: series.replace('instance="a"', `instance="${instance}"`),
          values,
        })),
      )
      tests.push({
        name: `${alert} of two nodes`,
        interval: '1m',
        input_series: ofBoth,
        promql_expr_test: [expectation(alert, true)],
      })
    }
    const path = file('tests.yml', { rule_files: [join(root, rulesFile)], evaluation_interval: '1m', tests })
    expect(promtool('test', 'rules', path)).to.equal('')
  })
})
