import type { RunningSandbox } from '../../core/plugin/index.ts'
import type { Catalogue } from '../../core/registry/catalogue.ts'
import { checkSettings } from '../../core/skill/connection/settings.ts'
import { Redactor } from '../../core/skill/redaction/redactor.ts'
import { paint } from '../output/paint.ts'
import { printable, printableLines } from '../output/printable.ts'
import type { StartedSandbox } from './start-sandboxes.ts'

type Request = RunningSandbox['requests'][number]

/** A request on one line: method, path and outcome, without headers, body or secrets in the path. */
export function requestLine(
  plugin: string,
  { method, path }: Request,
  outcome: number | string,
  redactor: Redactor,
): string {
  const isWell = typeof outcome === 'number' && outcome < 400
  return `${paint.dim(`${plugin}  ${method} ${printable(redactor.text(path))}`)}  ${isWell ? paint.good(String(outcome)) : paint.bad(String(outcome))}`
}

/** An event in the other system, after the name of its plugin. */
export function newsLines(plugin: string, news: string): string {
  const [first = '', ...others] = printableLines(news).split('\n')
  return [`${paint.strong(plugin)}  ${first}`, ...others.map((line) => `  ${line}`)].join('\n')
}

/** Redacts the secrets of each sandbox, by plugin. */
export function redactorsOf(
  sandboxes: readonly StartedSandbox[],
  catalogue: Catalogue,
): ReadonlyMap<string, Redactor> {
  return new Map(
    sandboxes.map(({ plugin, running }) => {
      const definition = catalogue.connection(plugin)
      const secrets = definition === undefined ? {} : checkSettings(definition, running.settings).secrets
      return [plugin, new Redactor(Object.values(secrets).map((secret) => secret.reveal()))]
    }),
  )
}
