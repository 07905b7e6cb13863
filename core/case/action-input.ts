import type { CaseAction } from '../domain/case.ts'

/** Characters of the input in one line. */
const maxShown = 500
/** Characters of a name. */
const maxName = 200
/** Levels of an output that are searched for the name. */
const maxDepth = 4

/** Fields of other systems with the name of a machine or account. */
const nameFields = [
  'computerDnsName',
  'hostname',
  'host_name',
  'deviceName',
  'device_name',
  'computerName',
  'userPrincipalName',
  'displayName',
  'display_name',
  'name',
] as const

type Fields = Readonly<Record<string, unknown>>

/**
 * The id in the input of an action together with the name that the output has for it, such as the name of a machine. Undefined if the
 * output has none.
 *
 * @param output without sensitive values
 */
export function actionTarget(input: CaseAction['input'], output: unknown): CaseAction['target'] {
  if (input === null) return undefined
  for (const [field, id] of Object.entries(input)) {
    if (!/(?:^|_)id$|Id$/.test(field) || typeof id !== 'string' || id === '') continue
    const name = nameBeside(id, output, maxDepth)
    if (name !== undefined) return { id, name }
  }
  return undefined
}

/** The name in the object that has the id as a value. */
function nameBeside(id: string, value: unknown, depth: number): string | undefined {
  if (typeof value !== 'object' || value === null || depth === 0) return undefined
  const inside = Object.values(value)
  const name = Array.isArray(value) || !inside.includes(id) ? undefined : nameIn(value as Fields)
  if (name !== undefined && name !== id) return name
  for (const each of inside) {
    const found = nameBeside(id, each, depth - 1)
    if (found !== undefined) return found
  }
  return undefined
}

function nameIn(fields: Fields): string | undefined {
  for (const field of nameFields) {
    const name = Object.hasOwn(fields, field) ? fields[field] : undefined
    if (typeof name === 'string' && name !== '') return name.slice(0, maxName).toWellFormed()
  }
  return undefined
}

/**
 * The input in one line, with the name beside an id: `id: 1f2e (desk-7), comment: miner`. A comment that only names the run is left
 * out, because the action shows its run.
 */
export function inputText({
  input,
  target,
  run_uuid: run,
}: Pick<CaseAction, 'input' | 'target' | 'run_uuid'>): string {
  if (input === null) return ''
  const fields = Object.entries(input)
    .filter(([, value]) => value !== `Tocsin run ${run}`)
    .map(([name, value]) => `${name}: ${valueText(value, target)}`)
  const line = fields.join(', ')
  return line.length <= maxShown ? line : `${line.slice(0, maxShown)}…`
}

/** A machine or user that a playbook passes on has an id and a name, besides fields about it. */
function valueText(value: unknown, target: CaseAction['target']): string {
  if (typeof value === 'string') return value === target?.id ? `${value} (${target.name})` : value
  const name = typeof value === 'object' && value !== null ? nameIn(value as Fields) : undefined
  const id = name === undefined ? undefined : (value as Fields)['id']
  return typeof id === 'string' ? `${id} (${name})` : JSON.stringify(value)
}
