import { fileURLToPath } from 'node:url'
import { celEnv, parse, plan } from '@bufbuild/cel'
import { strings } from '@bufbuild/cel/ext'
import { compileExpression, dyn } from '../../core/expression/index.ts'
import { whole } from './measure.ts'
import { printTable } from './print-table.ts'

interface Case {
  readonly name: string
  readonly expression: string
}

const cases: readonly Case[] = [
  { name: 'field', expression: 'alert.data.user.email' },
  { name: 'missing key', expression: 'has(alert.data.user.phone) && alert.data.user.phone == "1"' },
  { name: 'missing key, error', expression: 'alert.data.user.phone == "1" || true' },
  { name: 'comparison', expression: 'alert.data.risk >= 50.0 && alert.data.country != "DE"' },
  { name: 'filter + map over 50', expression: 'alert.data.items.filter(i, i.score > 20.0).map(i, i.name)' },
  { name: 'exists over 50', expression: 'alert.data.items.exists(i, i.name == "item-49")' },
  {
    name: 'string functions',
    expression: 'alert.data.user.email.lowerAscii().split("@")[1].contains("example")',
  },
  {
    name: 'concatenation',
    expression: '"Sign-in of " + alert.data.user.email + " from " + alert.data.country',
  },
  { name: 'regular expression', expression: 'alert.data.user.email.matches("^[a-zA-Z.]+@example\\\\.com$")' },
  {
    name: 'time',
    expression: 'timestamp(alert.data.at) + duration("1h") > timestamp("2026-01-01T00:00:00Z")',
  },
  {
    name: 'ternary',
    expression: 'alert.data.risk > 80.0 ? "critical" : alert.data.risk > 50.0 ? "high" : "low"',
  },
]

const alert = {
  data: {
    risk: 70,
    country: 'FR',
    at: '2026-03-01T08:00:00Z',
    user: { email: 'Dana.Scully@example.com' },
    items: Array.from({ length: 50 }, (_, at) => ({ name: `item-${at}`, score: at })),
  },
}

/** Evaluations per second, the best of several rounds of about `roundMs`. */
function rate(run: () => unknown, roundMs: number): number {
  let best = 0
  let batch = 16
  for (let round = 0; round < 5;) {
    const start = performance.now()
    for (let at = 0; at < batch; at++) run()
    const elapsed = performance.now() - start
    if (elapsed < roundMs / 2) batch *= 2
    else {
      best = Math.max(best, (batch / elapsed) * 1000)
      round++
    }
  }
  return best
}

/** Prints evaluations per second of compiled expressions, compared with `@bufbuild/cel`. */
export function benchExpression(): void {
  const env = celEnv({ funcs: strings })
  const rows = cases.map(({ name, expression }) => {
    const { program, problems } = compileExpression(expression, { alert: dyn })
    if (!program) throw new Error(`${name}: ${problems[0]?.message}`)
    const scope = { alert }
    const theirs = plan(env, parse(expression))
    const ours = rate(() => program.evaluate(scope), 60)
    const other = rate(() => theirs(scope), 60)
    return [name, whole(ours), whole(other), (ours / other).toFixed(1)]
  })
  printTable('Expressions: evaluations per second', ['', 'Tocsin', '@bufbuild/cel', 'ratio'], rows)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) benchExpression()
