import { maxRate, parseRate } from '../../common/rates.ts'
import { quote } from '../../playbook/language/problem.ts'
import type { Span } from '../../playbook/language/source-text.ts'
import { readFields, readText } from '../../playbook/template/fields.ts'
import type { Entry, Node } from '../../playbook/yaml/document.ts'
import { entryNamed } from '../../playbook/yaml/plain-value.ts'
import type { TypedTemplate } from '../../playbook/template/typed-template.ts'
import type { DeclaredConnection, DeclaredPath, DeclaredRate, DeclaredSkill } from '../language/declared.ts'
import { pluginGrammar } from '../language/plugin-keys.ts'
import { requestMethods } from '../language/request-keys.ts'
import { readTexts } from './read-request.ts'
import { readTemplate, refuseSecrets, type Names, type PluginReading } from './reading.ts'

const rateRule = `write requests and a time: 50/week, 100/min, 4/10s; at most ${maxRate} requests`

/** Reads `rate`: limits of the whole connection, or a list of budgets for some of its requests. */
export function readRates(
  reading: PluginReading,
  names: Names,
  entry: Entry | undefined,
): readonly DeclaredRate[] {
  if (entry === undefined) return []
  const { value } = entry
  if (value.kind === 'list' && value.items.some(({ kind }) => kind === 'map'))
    return value.items.flatMap((node, at) => readBudget(reading, names, node, at) ?? [])
  return [{ bucket: '', methods: [], path: '', limits: readLimits(reading, names, value) }]
}

function readBudget(reading: PluginReading, names: Names, node: Node, at: number): DeclaredRate | undefined {
  const fields = readFields(reading.problems, node, pluginGrammar.rate)
  const limits = fields?.get('limits')
  if (fields === undefined || limits === undefined) return undefined
  const methods = readTexts(reading, fields.get('methods')).map((method) => method.toUpperCase())
  const unknown = methods.find((method) => !requestMethods.some((known) => known.toUpperCase() === method))
  if (unknown !== undefined)
    reading.problems.add(
      'E107',
      `${quote(unknown)} is not a method`,
      fields.get('methods')!.value,
      requestMethods.join(', '),
    )
  const pathEntry = fields.get('path')
  const path = pathEntry && readText(reading.problems, pathEntry)
  if (path !== undefined && !path.startsWith('/'))
    reading.problems.add('E802', 'a path begins with /', pathEntry!.value, `write /${path}`)
  const bucketEntry = fields.get('bucket')
  const bucket = (bucketEntry && readText(reading.problems, bucketEntry)) ?? `budget ${at + 1}`
  return { bucket, methods, path: path ?? '', limits: readLimits(reading, names, limits.value) }
}

function readLimits(reading: PluginReading, names: Names, node: Node): DeclaredRate['limits'] {
  const typed = readTemplate(reading, names, node)
  refuseSecrets(reading, typed, '`rate`')
  for (const item of typed.items ?? [typed]) checkLimit(reading, item)
  return typed.template
}

/** Checks the rates that are written out, also as values of an expression. */
function checkLimit({ problems }: PluginReading, { template, start, end, written }: TypedTemplate): void {
  const check = (text: string, at: Span) => {
    if (parseRate(text) === undefined) problems.add('E107', `${quote(text)} is not a rate`, at, rateRule)
  }
  if (template.kind === 'literal') check(String(template.value), { start, end })
  for (const { text, ...at } of written ?? []) check(text, at)
}

/** Warns of budgets for a path that none of the requests has. With errors, not all requests are known. */
export function checkRatePaths(
  { problems }: PluginReading,
  connectionNode: Node,
  { check }: DeclaredConnection,
  skills: readonly DeclaredSkill[],
): void {
  const rate = connectionNode.kind === 'map' ? entryNamed(connectionNode, 'rate')?.value : undefined
  if (rate?.kind !== 'list') return
  const requests = skills.flatMap(({ before, request, details, poll, verify }) => [
    ...before.map((each) => each.request),
    request,
    details?.request,
    poll?.request,
    verify?.request,
  ])
  const beginnings = [check, ...requests].flatMap((each) => (each ? (beginningOf(each.path) ?? []) : []))
  for (const node of rate.items) {
    const value = node.kind === 'map' ? entryNamed(node, 'path')?.value : undefined
    const path = value?.kind === 'scalar' ? value.value : undefined
    if (
      typeof path !== 'string' ||
      beginnings.some((known) => path.startsWith(known) || known.startsWith(path))
    )
      continue
    const message = `no request has a path that begins with ${quote(path)}`
    problems.add('W803', message, value!, 'paths are below the base URL: leave its path out')
  }
}

/** The literal beginning of a request's path; undefined for an address. */
function beginningOf(path: DeclaredPath): string | undefined {
  if (path.kind !== 'segments') return path.kind === 'text' ? path.text : undefined
  const end = path.segments.findIndex(({ kind }) => kind !== 'literal')
  const literals = path.segments.slice(0, end < 0 ? undefined : end)
  return literals.map((each) => (each.kind === 'literal' ? `/${String(each.value)}` : '')).join('')
}
