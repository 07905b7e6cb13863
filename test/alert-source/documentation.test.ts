import { expect } from 'chai'
import { readFile, writeFile } from 'node:fs/promises'
import { alertSources } from '../../core/alert-source/index.ts'

const page = new URL('../../docs/alert-sources.md', import.meta.url)
const between = /(<!-- sources -->\n)[^]*(\n<!-- \/sources -->)/

const tick = (is: unknown): string => (is === undefined ? '' : 'yes')
const rows = alertSources.map(({ name, title, severity, times, ids, observables = {} }) => [
  title,
  `\`${name}\``,
  tick(severity),
  tick(times),
  tick(ids),
  Object.keys(observables).toSorted().join(', '),
])

function table(): string {
  const head = ['product', 'name', 'severity', 'time', 'id', 'observables']
  const all = [head, ...rows.toSorted(([a = ''], [b = '']) => a.localeCompare(b))]
  const widths = head.map((_, at) => Math.max(...all.map((row) => row[at]!.length)))
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, at) => cell.padEnd(widths[at]!)).join(' | ')} |`
  return [
    line(all[0]!),
    `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`,
    ...all.slice(1).map(line),
  ].join('\n')
}

describe('docs/alert-sources.md', () => {
  it('lists exactly the products whose alerts are recognized', async () => {
    const text = await readFile(page, 'utf8')
    const wanted = text.replace(between, (_, open: string, close: string) => `${open}\n${table()}\n${close}`)
    if (process.env['UPDATE']) await writeFile(page, wanted)
    else expect(text).to.equal(wanted)
  })
})
