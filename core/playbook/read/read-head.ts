import { isReservedOnWindows } from '../../common/reserved-names.ts'
import type { ReadContext, Defaults } from '../scope/context.ts'
import { readOrganization } from './read-codes.ts'
import { suggest } from '../language/did-you-mean.ts'
import type { Entry } from '../yaml/document.ts'
import { describe, readDuration, readFields, readText, readWord, type Fields } from '../template/fields.ts'
import { grammar } from '../language/grammar.ts'
import { apiVersion, defaultRunTimeoutMs, namePattern, nameRule } from '../language/constants.ts'
import type { Playbook } from '../language/playbook.ts'
import { quote, type Problems } from '../language/problem.ts'
import { readRetry } from '../steps/read-retry.ts'

type Head = Pick<
  Playbook,
  'name' | 'version' | 'description' | 'organization' | 'owner' | 'tags' | 'timeoutMs'
>

/** Reads the description of a playbook. */
export function readHead(context: Pick<ReadContext, 'problems' | 'known'>, fields: Fields): Head {
  const { problems } = context
  const version = fields.get('apiVersion')
  if (version) checkVersion(problems, version)
  const name = fields.get('name')
  const label = fields.get('version')
  const description = fields.get('description')
  const organization = fields.get('organization')
  const owner = fields.get('owner')
  const timeout = fields.get('timeout')
  return {
    name: (name && readName(problems, name)) ?? '',
    version: label && readText(problems, label),
    description: (description && readText(problems, description)) ?? '',
    organization: organization && readOrganization(context, organization),
    owner: owner && readText(problems, owner),
    tags: readTags(problems, fields),
    timeoutMs: (timeout && readDuration(problems, timeout)) ?? defaultRunTimeoutMs,
  }
}

/** The name is also used as a file name. */
function readName(problems: Problems, entry: Entry): string | undefined {
  const name = readWord(problems, entry, namePattern, nameRule)
  if (name === undefined || !isReservedOnWindows(name)) return name
  const message = `${quote(name)} is not a valid \`name\`: Windows reserves it, so no file can be named ${name}.yaml`
  problems.add('E107', message, entry.value, `choose another name, e.g. ${name}-alerts`)
  return undefined
}

function checkVersion(problems: Problems, { value }: Entry): void {
  if (value.kind === 'scalar' && value.value === apiVersion) return
  const given =
    value.kind === 'scalar' && value.value !== null ? quote(problems.written(value)) : describe(value)
  problems.add('E107', `unknown apiVersion ${given}`, value, `write ${apiVersion}`)
}

function readTags(problems: Problems, fields: Fields): readonly string[] {
  const entry = fields.get('tags')
  if (entry === undefined) return []
  const { name, key, value } = entry
  if (value.kind === 'list') {
    return value.items
      .map((item) => readText(problems, { name, key, value: item }, 'a tag'))
      .filter((tag) => tag !== undefined)
  }
  const hint = value.kind === 'scalar' && value.value !== null ? `write [${value.value}]` : 'write [a, b]'
  problems.add('E106', `expected a list of strings for \`tags\`, found ${describe(value)}`, value, hint)
  return []
}

/** Reads `defaults`. */
export function readDefaults(
  problems: Problems,
  fields: Fields,
  known: Pick<ReadContext, 'catalogue' | 'connections'>,
): Defaults {
  const entry = fields.get('defaults')
  const own = entry && readFields(problems, entry.value, grammar.defaults)
  const timeout = own?.get('timeout')
  const retry = own?.get('retry')
  const connections = own?.get('connections')
  return {
    timeoutMs: timeout && readDuration(problems, timeout),
    retry: retry && readRetry(problems, retry.value),
    connections: connections ? readConnections(problems, connections, known) : new Map(),
  }
}

/** Names of connections by plugin. */
function readConnections(
  problems: Problems,
  { value }: Entry,
  known: Pick<ReadContext, 'catalogue' | 'connections'>,
): ReadonlyMap<string, string> {
  const connections = new Map<string, string>()
  if (value.kind !== 'map') {
    problems.add(
      'E106',
      `expected a map for \`connections\`, found ${describe(value)}`,
      value,
      'write { <plugin>: <name> }',
    )
    return connections
  }
  for (const entry of value.entries) {
    const name = readText(problems, entry)
    if (name === undefined) continue
    connections.set(entry.name, name)
    checkPreset(problems, entry, name, known)
  }
  return connections
}

/** Checks a default connection, also of a plugin that no step uses: it may be a typo. */
function checkPreset(
  problems: Problems,
  { name: plugin, key, value }: Entry,
  name: string,
  { catalogue, connections }: Pick<ReadContext, 'catalogue' | 'connections'>,
): void {
  if (catalogue === undefined) return
  const installed = catalogue.plugins.find((each) => each.name === plugin)
  if (installed === undefined) {
    const names = catalogue.plugins.filter(({ connection }) => connection).map((each) => each.name)
    problems.add('E301', `no plugin ${quote(plugin)} is installed`, key, suggest(plugin, names))
  } else if (installed.connection === undefined) {
    problems.add('E304', `${plugin} takes no connection`, key, 'remove it')
  } else if (connections) {
    const own = connections.filter((each) => each.plugin === plugin).map((each) => each.name)
    if (own.some((each) => each.toLowerCase() === name.toLowerCase())) return
    problems.add(
      'E304',
      `${plugin} has no connection ${quote(name)}`,
      value,
      suggest(name, own) ?? 'create it, or correct the name',
      { kind: 'connection', name, plugins: [plugin] },
    )
  }
}
