import { expect } from 'chai'
import { readFile, writeFile } from 'node:fs/promises'
import { alertSources, type SendingWay } from '../../core/alert-source/index.ts'

const page = new URL('../../docs/alert-sources.md', import.meta.url)
const between = /(<!-- sources -->\n)[^]*(\n<!-- \/sources -->)/

const tick = (is: unknown): string => (is === undefined ? '' : 'yes')
const ways: Readonly<Record<SendingWay, string>> = {
  webhook: '[webhook](#a-webhook)',
  webhook_without_headers: '[webhook without headers](#a-webhook-without-headers)',
  event_bus: '[EventBridge](#amazon-eventbridge)',
  queue: '[queue](#a-queue)',
  syslog: '[syslog](#syslog-in-cef-or-leef)',
  log_forwarder: '[log forwarder](#a-log-forwarder)',
  poll: '[poll](#a-scheduled-poll)',
}
const anchorOf = (heading: string): string => `(#${heading.toLowerCase().replaceAll(' ', '-')})`

const rows = alertSources.map(({ name, title, sends, plugin, severity, times, ids, observables = {} }) => [
  title,
  `\`${name}\``,
  ways[sends] + (plugin === undefined ? '' : ` or [plugin](../plugins/${plugin}/README.md)`),
  tick(severity),
  tick(times),
  tick(ids),
  Object.keys(observables).toSorted().join(', '),
])

function table(): string {
  const head = ['product', 'name', 'sent by', 'severity', 'time', 'id', 'observables']
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

  it('has a section for every way to send', async () => {
    const text = await readFile(page, 'utf8')
    const anchors = [...text.matchAll(/^## (.*)$/gm)].map(([, heading = '']) => anchorOf(heading))
    const linked = Object.values(ways).map((link) => link.slice(link.indexOf('(')))
    expect(anchors).to.include.members(linked)
  })

  it('links plugins that have a webhook for alerts', async () => {
    const text = await readFile(page, 'utf8')
    const linked = new Set(
      [...text.matchAll(/\(\.\.\/plugins\/([\w-]+)\/README\.md\)/g)].map(([, name]) => name),
    )
    expect(alertSources.flatMap(({ plugin }) => plugin ?? []).every((name) => linked.has(name))).to.equal(
      true,
    )
    for (const name of linked) {
      const plugin = await readFile(new URL(`../../plugins/${name}/plugin.yaml`, import.meta.url), 'utf8')
      expect(plugin, name).to.match(/^ {2}webhooks:\n[^]*?\n {6}type:/m)
    }
  })
})
