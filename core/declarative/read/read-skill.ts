import { dyn, string, typeOfSchema, type Type } from '../../expression/index.ts'
import { observableKinds, type AnySkill, type JsonSchema } from '../../plugin/index.ts'
import { quote } from '../../playbook/language/problem.ts'
import { describe, readChoice, readFields, readWord, type Fields } from '../../playbook/template/fields.ts'
import type { Entry, Node } from '../../playbook/yaml/document.ts'
import { plainValue } from '../../playbook/yaml/plain-value.ts'
import type { DeclaredPoll, DeclaredRequest, DeclaredSkill } from '../language/declared.ts'
import type { DeclaredExample } from '../language/declared-example.ts'
import { pluginGrammar } from '../language/plugin-keys.ts'
import { pluginNamePattern, pluginNameRule } from '../language/related-keys.ts'
import { compileSchema } from '../../schema/index.ts'
import { checkEnriching } from '../../registry/check-enriching.ts'
import { readDocs } from './read-connection.ts'
import { readExamples, type PluginFiles } from '../read-examples.ts'
import { readFieldMap, readJsonSchema } from './read-fields.ts'
import { readOutputs } from './read-outcomes.ts'
import { readBefore, readDetails } from './read-before.ts'
import { readEffects } from './read-effects.ts'
import { readImplements } from './read-implements.ts'
import { elementOf, pagingNames, readPaging, readPoll } from './read-paging.ts'
import { literalText, readRequest, readTexts } from './read-request.ts'
import { connectionNames, responseType, type Names, type PluginReading } from './reading.ts'

/** The context of reading a skill. */
export interface SkillSurroundings {
  /** Type of the settings of the connection. */
  readonly settings: Type
  readonly files: PluginFiles | undefined
}

/** Reads a skill; undefined if a part of it is missing, which has been reported. */
export function readSkill(
  reading: PluginReading,
  node: Node,
  { settings, files }: SkillSurroundings,
): DeclaredSkill | undefined {
  const { problems } = reading
  const fields = readFields(problems, node, pluginGrammar.skill)
  if (fields === undefined) return undefined
  const nameEntry = fields.get('name')
  const name = nameEntry && readWord(problems, nameEntry, pluginNamePattern, pluginNameRule)
  const enriches = readEnriches(reading, fields.get('enriches'))
  const input = readFieldMap(
    reading,
    fields.get('input'),
    'input',
    enriches.length > 0 ? observable(enriches) : {},
  )
  const isWrite = writtenEffect(fields) === 'write'
  const { before, names } = readBefore(
    reading,
    { ...connectionNames(settings), input: input.type, ...(isWrite && { idempotency_key: string }) },
    fields.get('before'),
  )
  const body = readBodyType(reading, fields.get('response'))
  const answered = { ...names, response: responseType(reading, body) }
  const requests = readRequests(reading, fields, { names, answered, body, isWrite })
  const { request } = requests
  const read = readOutputs(reading, { ...requests, names, answered, fields, isWrite, enriches })
  const texts = {
    title: literalText(reading, fields, 'title'),
    description: literalText(reading, fields, 'description'),
    docs: readDocs(reading, fields),
    permissions: readTexts(reading, fields.get('permissions')),
  }
  const effects = readEffects(
    reading,
    fields,
    read && { names, answered, hasBefore: before.length > 0, ...read },
  )
  const enrichesEntry = fields.get('enriches')
  const paths = readTexts(reading, fields.get('examples'))
  const examples = files ? readExamples(reading, fields.get('examples'), paths, files) : []
  const { title, description } = texts
  if (name === undefined || title === undefined || description === undefined) return undefined
  if (request === undefined || read === undefined || effects === undefined) return undefined
  checkExamples(reading, fields, examples, { input: input.schema, output: read.output })
  if (enrichesEntry)
    checkEnrichment(reading, enrichesEntry, {
      ...effects,
      enriches,
      input: input.schema,
      output: read.output,
    })
  const { docs, permissions } = texts
  const implementing = { ...effects, input: input.schema, output: read.output }
  return {
    name,
    title,
    description,
    docs,
    permissions,
    ...effects,
    // Read once all skills are known.
    followWith: undefined,
    undoneBy: undefined,
    enriches,
    implements: readImplements(reading, fields.get('implements'), implementing),
    input: input.schema,
    before,
    request,
    paging: requests.paging,
    details: requests.details,
    poll: requests.poll,
    examples,
    output: read.output,
    mapping: read.mapping,
    notFound: read.notFound,
    skip: read.skip,
  }
}

interface RequestSurroundings {
  /** Names visible to the expressions of requests. */
  readonly names: Names
  /** Names visible to expressions that read an answer. */
  readonly answered: Names
  readonly body: Type
  readonly isWrite: boolean
}

/** Reads the request of a skill, and how its pages or states are asked for. */
function readRequests(
  reading: PluginReading,
  fields: Fields,
  { names, answered, body, isWrite }: RequestSurroundings,
) {
  const { problems } = reading
  const requestEntry = fields.get('request')
  const request = requestEntry && readRequest(reading, names, requestEntry.value)?.request
  const pagingEntry = fields.get('paging')
  const paging = pagingEntry && readPaging(reading, names, answered, pagingEntry)
  const detailsEntry = fields.get('details')
  const id = elementOf(paging?.items.type)
  const details = detailsEntry && readDetails(reading, names, body, id, detailsEntry)
  if (detailsEntry && !pagingEntry)
    problems.add('E112', '`details` belongs to `paging`', detailsEntry.key, 'list the ids with paging')
  const pollEntry = fields.get('poll')
  const poll = pollEntry && readPoll(reading, names, body, pollEntry)
  if (pagingEntry && pollEntry)
    problems.add('E801', 'a skill has `paging` or `poll`, not both', pollEntry.key, 'remove one')
  if (pollEntry && isWrite) checkPoll(reading, pollEntry, request, poll)
  const last = poll?.request ? { ...answered, submitted: responseType(reading) } : answered
  const listed = details?.items ?? paging?.items
  const outputNames = pagingEntry ? { ...names, ...pagingNames(listed?.type) } : last
  return { request, paging, details, poll, outputNames }
}

/** The effect as written; it is checked later. */
function writtenEffect(fields: Fields): unknown {
  const value = fields.get('effect')?.value
  return value?.kind === 'scalar' ? value.value : undefined
}

/** Polling must not repeat a write. */
function checkPoll(
  { problems }: PluginReading,
  { key }: Entry,
  request: DeclaredRequest | undefined,
  poll: DeclaredPoll | undefined,
): void {
  if (poll === undefined || poll.request !== undefined || request === undefined) return
  if (request.method === 'GET' || request.method === 'HEAD') return
  const message = `\`poll\` without \`request\` would repeat the ${request.method}`
  problems.add('E806', message, key, 'write the request that asks for the state')
}

function readEnriches({ problems }: PluginReading, entry: Entry | undefined) {
  if (entry === undefined) return []
  const nodes = entry.value.kind === 'list' ? entry.value.items : [entry.value]
  return nodes.flatMap((value) => readChoice(problems, { ...entry, value }, observableKinds) ?? [])
}

/** Reports examples that do not fit the skill, and missing examples. */
function checkExamples(
  { problems, isThorough }: PluginReading,
  fields: Fields,
  examples: readonly DeclaredExample[],
  schemas: Pick<DeclaredSkill, 'input' | 'output'>,
): void {
  const entry = fields.get('examples')
  if (entry === undefined) {
    const hint = 'record an answer in examples/<title>.json: the tests and the sandbox use it'
    problems.add('W802', 'the skill has no examples', fields.get('name')!.value, hint)
  } else if (isThorough && !problems.hasErrors) {
    for (const [at, example] of examples.entries())
      for (const side of ['input', 'output'] as const)
        for (const { pointer, message } of compileSchema(schemas[side]).problems(example[side])) {
          const node = entry.value.kind === 'list' ? entry.value.items[at] : undefined
          const text = `${quote(example.file)}: /${side}${pointer} ${message}`
          problems.add('E804', text, node ?? entry.value)
        }
  }
}

/** Reports enriching skills that generated investigations cannot call. */
function checkEnrichment({ problems }: PluginReading, { value }: Entry, skill: object): void {
  for (const { pointer, message } of checkEnriching(skill as AnySkill)) {
    const hint =
      pointer === '/input/required'
        ? 'read the observable as input.value; give other inputs a default, or optional: true'
        : undefined
    problems.add('E806', `${pointer.slice(1).replaceAll('/', '.')} ${message}`, value, hint)
  }
}

/** The inputs that every enriching skill has. */
const observable = (kinds: readonly string[]) => ({
  kind: {
    schema: { type: 'string', enum: kinds, description: 'The kind of observable.' } as JsonSchema,
    isRequired: true,
  },
  value: {
    schema: { type: 'string', minLength: 1, maxLength: 2048, description: 'The observable.' } as JsonSchema,
    isRequired: true,
  },
})

function readBodyType(reading: PluginReading, entry: Entry | undefined): Type {
  if (entry === undefined) return dyn
  if (entry.value.kind === 'map') {
    const schema = readJsonSchema(reading, plainValue(entry.value) as JsonSchema, entry.value)
    return schema === undefined ? dyn : typeOfSchema(schema)
  }
  const message = `expected a JSON Schema for \`response\`, found ${describe(entry.value)}`
  reading.problems.add('E106', message, entry.value)
  return dyn
}
