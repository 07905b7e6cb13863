import { list, object, optional, type Type } from '../../expression/index.ts'
import { idPattern } from '../../playbook/language/constants.ts'
import { quote } from '../../playbook/language/problem.ts'
import { describe, readFields, readNumber } from '../../playbook/template/fields.ts'
import type { Entry, Node } from '../../playbook/yaml/document.ts'
import type { DeclaredBefore, DeclaredDetails } from '../language/declared.ts'
import { pluginGrammar } from '../language/plugin-keys.ts'
import { requestBounds } from '../language/request-keys.ts'
import { readRequest } from './read-request.ts'
import {
  readCondition,
  readExpression,
  readShownText,
  responseType,
  type Names,
  type PluginReading,
} from './reading.ts'

const maxBefore = 5
const validName = new RegExp(idPattern)

/** Requests that a skill sends first, and the names that they add for later expressions. */
export interface ReadBefore {
  readonly before: readonly DeclaredBefore[]
  readonly names: Names
}

/** Reads `before`: name → a request that reads. Each sees the answers of those above it. */
export function readBefore(reading: PluginReading, names: Names, entry: Entry | undefined): ReadBefore {
  if (entry === undefined) return { before: [], names }
  const { problems } = reading
  if (entry.value.kind !== 'map') {
    const hint = 'write { <name>: { get: … } }'
    problems.add('E106', `expected a map for \`before\`, found ${describe(entry.value)}`, entry.value, hint)
    return { before: [], names }
  }
  const { entries } = entry.value
  if (entries.length > maxBefore)
    problems.add('E107', `a skill has at most ${maxBefore} requests in \`before\``, entry.key)
  const answers: Record<string, Parameters<typeof object>[0][string]> = {}
  const before: DeclaredBefore[] = []
  const known = () => (Object.keys(answers).length === 0 ? names : { ...names, before: object(answers) })
  for (const each of entries.slice(0, maxBefore)) {
    if (!validName.test(each.name)) problems.add('E107', `invalid name ${quote(each.name)}`, each.key)
    const read = readOne(reading, known(), answers, each)
    if (read === undefined) continue
    before.push(read)
    answers[each.name] = typeOf(reading, read)
  }
  return { before, names: known() }
}

/** The type of an answer; optional if its request is conditional. */
const typeOf = (reading: PluginReading, { when }: Pick<DeclaredBefore, 'when'>) =>
  when === undefined ? responseType(reading) : optional(responseType(reading))

function readOne(
  reading: PluginReading,
  names: Names,
  answers: Parameters<typeof object>[0],
  { name, value }: Entry,
): DeclaredBefore | undefined {
  const read = readRequest(reading, names, value, pluginGrammar.before)
  if (read === undefined) return undefined
  checkReads(reading, value, '`before`')
  const { request, fields } = read
  const [whenEntry, requireEntry, messageEntry] = [
    fields.get('when'),
    fields.get('require'),
    fields.get('message'),
  ]
  const answered = { ...names, before: object({ ...answers, [name]: responseType(reading) }) }
  if (messageEntry && !requireEntry)
    reading.problems.add('E112', '`message` belongs to `require`', messageEntry.key, 'write require: …')
  return {
    name,
    request,
    when: whenEntry && readCondition(reading, names, whenEntry),
    require: requireEntry && readCondition(reading, answered, requireEntry),
    message: readShownText(reading, answered, messageEntry),
  }
}

/** Reports a read request with a method that changes data, except POST, which some systems use to search. */
export function checkReads({ problems }: PluginReading, node: Node | undefined, what: string): void {
  const changing =
    node?.kind === 'map' ? node.entries.find(({ name }) => /^(put|patch|delete)$/.test(name)) : undefined
  if (changing === undefined) return
  const message = `a request of ${what} only reads: it cannot send ${changing.name.toUpperCase()}`
  problems.add(
    'E806',
    message,
    changing.key,
    'the request that changes something is the `request` of the skill',
  )
}

const defaultSize = 100

/** Reads `details`; undefined if a part of it is missing, which has been reported. */
export function readDetails(
  reading: PluginReading,
  names: Names,
  body: Type,
  id: Type,
  { value }: Entry,
): DeclaredDetails | undefined {
  const { problems } = reading
  const fields = readFields(problems, value, pluginGrammar.details)
  const [requestEntry, sizeEntry, itemsEntry] = [
    fields?.get('request'),
    fields?.get('size'),
    fields?.get('items'),
  ]
  const asked = { ...names, ids: list(id) }
  const request = requestEntry && readRequest(reading, asked, requestEntry.value)?.request
  checkReads(reading, requestEntry?.value, '`details`')
  const size = (sizeEntry && readNumber(problems, sizeEntry, requestBounds.pageSize)) ?? defaultSize
  const answered = { ...asked, response: responseType(reading, body) }
  const items = itemsEntry && readExpression(reading, answered, itemsEntry)
  return request && items && { request, size, items }
}
