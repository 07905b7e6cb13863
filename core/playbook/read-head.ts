import type { Defaults } from './context.ts'
import type { Entry } from './document.ts'
import { describe, readDuration, readFields, readText, readWord, type Fields } from './fields.ts'
import { apiVersion, defaultTimeoutMs, grammar, namePattern } from './grammar.ts'
import type { Playbook } from './playbook.ts'
import { quote, type Problems } from './problem.ts'
import { readRetry } from './read-retry.ts'

type Head = Pick<Playbook, 'name' | 'version' | 'description' | 'owner' | 'tags' | 'timeoutMs'>

/** What a playbook says about itself. */
export function readHead(problems: Problems, fields: Fields): Head {
  const version = fields.get('apiVersion')
  const written = version && readText(problems, version)
  if (written !== undefined && written !== apiVersion) {
    problems.add(
      'E107',
      `the apiVersion ${quote(written)} is not known`,
      version!.value,
      `write ${apiVersion}`,
    )
  }
  const name = fields.get('name')
  const nameRule = 'lower-case letters and digits, in words joined by hyphens'
  const label = fields.get('version')
  const description = fields.get('description')
  const owner = fields.get('owner')
  const timeout = fields.get('timeout')
  return {
    name: (name && readWord(problems, name, namePattern, nameRule)) ?? '',
    version: label && readText(problems, label),
    description: (description && readText(problems, description)) ?? '',
    owner: owner && readText(problems, owner),
    tags: readTags(problems, fields),
    timeoutMs: (timeout && readDuration(problems, timeout)) ?? defaultTimeoutMs,
  }
}

function readTags(problems: Problems, fields: Fields): readonly string[] {
  const entry = fields.get('tags')
  if (entry === undefined) return []
  const { name, key, value } = entry
  if (value.kind === 'list') {
    return value.items
      .map((item) => readText(problems, { name, key, value: item }))
      .filter((tag) => tag !== undefined)
  }
  problems.add('E106', `\`tags\` must be a list of texts, not ${describe(value)}`, value, 'write [a, b]')
  return []
}

/** `defaults`: for all steps that say nothing else. */
export function readDefaults(problems: Problems, fields: Fields): Defaults {
  const entry = fields.get('defaults')
  const own = entry && readFields(problems, entry.value, grammar.defaults)
  const timeout = own?.get('timeout')
  const retry = own?.get('retry')
  const connections = own?.get('connections')
  return {
    timeoutMs: timeout && readDuration(problems, timeout),
    retry: retry && readRetry(problems, retry.value),
    connections: connections ? readConnections(problems, connections) : new Map(),
  }
}

/** Names of connections by plugin. */
function readConnections(problems: Problems, { value }: Entry): ReadonlyMap<string, string> {
  const connections = new Map<string, string>()
  if (value.kind !== 'map') {
    problems.add(
      'E106',
      `\`connections\` must be a map, not ${describe(value)}`,
      value,
      'write { <plugin>: <name> }',
    )
    return connections
  }
  for (const entry of value.entries) {
    const name = readText(problems, entry)
    if (name !== undefined) connections.set(entry.name, name)
  }
  return connections
}
