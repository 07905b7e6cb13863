import type { BacktestRow, BacktestView } from '../../core/backtest/backtest-view.ts'
import { stringifyJson } from '../../core/common/json.ts'
import { escapeXml } from '../../core/graph/xml.ts'
import { printable } from './printable.ts'

type ShownDecision = NonNullable<BacktestRow['before']>

const style = `body{font:14px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;width:100%}td,th{border:1px solid #ccc;padding:.3rem .5rem;text-align:left;vertical-align:top;overflow-wrap:anywhere}
summary{cursor:pointer}code{font-size:.9em}.muted{color:#666}`

/** A backtest as one web page without scripts. */
export function backtestHtml(backtest: BacktestView): string {
  const {
    playbook,
    organization_code: organization,
    done,
    total,
    same,
    changed,
    unjudged,
    groups,
    reasons,
  } = backtest
  const rows = backtest.rows ?? []
  const body = [
    `<h1>Backtest of ${shown(playbook)}</h1>`,
    `<p>${done} of ${total} alerts of ${shown(organization)}: ${same} same, ${changed} changed, ${unjudged} not judged.</p>`,
    ...groups.map(({ changes, alerts }, at) => {
      const list = changes.map(({ text }) => `<li>${shown(text)}</li>`).join('')
      const own = rows.filter((row) => row.group === at)
      return `<h2>${alerts} ${alerts === 1 ? 'alert' : 'alerts'}</h2><ul>${list}</ul>${own.map(rowHtml).join('\n')}`
    }),
    ...(reasons.length === 0 ? [] : ['<h2>Not judged</h2>', reasonsHtml(rows)]),
  ]
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Backtest of ${shown(playbook)}</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"><style>${style}</style></head>
<body>
${body.join('\n')}
</body></html>
`
}

function rowHtml({ alert_id: id, changes, before, after, assumed }: BacktestRow): string {
  const texts = changes.map(({ text }) => shown(text)).join('; ')
  const notes = assumed.length === 0 ? '' : `<p class="muted">Assumed: ${assumed.map(shown).join('; ')}</p>`
  const sides = before === null || after === null ? '' : sidesHtml(before, after)
  return `<details><summary>${shown(id)} <span class="muted">${texts}</span></summary>${notes}${sides}</details>`
}

/** Both decisions side by side. */
function sidesHtml(before: ShownDecision, after: ShownDecision): string {
  const line = (title: string, of: (decision: ShownDecision) => string) =>
    `<tr><th>${title}</th><td>${of(before)}</td><td>${of(after)}</td></tr>`
  return `<table><tr><th></th><th>Before</th><th>After</th></tr>${[
    line('Status', ({ status, reason }) => shown(reason === null ? status : `${status}: ${reason}`)),
    line('Verdict', ({ verdict }) => shown(verdict ?? 'not set')),
    line('Severity', ({ severity }) => shown(severity ?? 'not set')),
    line('Questions', ({ questions }) =>
      questions.map(({ path, via }) => shown(`${path} (${via})`)).join('<br>'),
    ),
    line('Actions', ({ actions }) =>
      actions
        .map(({ path, skill, input }) => `${shown(`${path}: ${skill}`)}<br><code>${json(input)}</code>`)
        .join('<br>'),
    ),
    line('Steps', ({ path }) => path.map(shown).join(' → ')),
    line('Output', ({ output }) => `<code>${json(output)}</code>`),
  ].join('')}</table>`
}

function reasonsHtml(rows: readonly BacktestRow[]): string {
  const lines = rows.flatMap(({ alert_id: id, reason }) =>
    reason === null
      ? []
      : [`<tr><td>${shown(id)}</td><td>${shown(reason.code)}</td><td>${shown(reason.message)}</td></tr>`],
  )
  return `<table><tr><th>Alert</th><th>Code</th><th>Reason</th></tr>${lines.join('')}</table>`
}

const maxText = 2_000
const shown = (text: string): string => escapeXml(printable(text, maxText))
const json = (value: unknown): string => shown(stringifyJson(value ?? null))
