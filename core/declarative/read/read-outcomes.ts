import type { JsonSchema } from '../../plugin/index.ts'
import { readFields, type Fields } from '../../playbook/template/fields.ts'
import type { Entry } from '../../playbook/yaml/document.ts'
import type { DeclaredSkill } from '../language/declared.ts'
import { pluginGrammar } from '../language/plugin-keys.ts'
import { joinSchemas, readOutput, withFlags, type Flags, type ReadOutput } from './read-output.ts'
import { readStatuses } from './read-request.ts'
import { readCondition, type Names, type PluginReading } from './reading.ts'

interface ReadOutputs extends Pick<DeclaredSkill, 'output' | 'mapping' | 'notFound' | 'skip'> {
  /** Fields that the output has if the request was sent. */
  readonly flags: Flags
}

interface OutputSurroundings {
  /** Names visible to the expressions of requests. */
  readonly names: Names
  /** Names visible to expressions that read an answer. */
  readonly answered: Names
  readonly isWrite: boolean
  readonly fields: Fields
  /** Names visible to the expressions of the output. */
  readonly outputNames: Names
  readonly enriches: readonly string[]
}

/** Reads the outputs of a skill: of its answer, of an object that does not exist, and without the request. */
export function readOutputs(
  reading: PluginReading,
  { fields, names, answered, outputNames, isWrite, enriches }: OutputSurroundings,
): ReadOutputs | undefined {
  const outputEntry = fields.get('output')
  const [missingEntry, skipEntry] = [fields.get('not_found'), fields.get('skip')]
  const output = outputEntry && readOutput(reading, outputNames, outputEntry.value)
  if (output === undefined) return undefined
  const missing = missingEntry && readNotFound(reading, answered, missingEntry, output.schema)
  const skip = skipEntry && readSkip(reading, names, skipEntry, output.schema)
  const flagsIf = (isFound: boolean, isChanged: boolean): Flags => ({
    ...(missing && { found: isFound }),
    ...(skip && isWrite && { changed: isChanged }),
  })
  const isEnriching = enriches.length > 0
  const flags = flagsIf(true, true)
  const main = withFlags(output, flags)
  const ofMissing =
    missing && withFlags(isEnriching ? withRisk(missing.output) : missing.output, flagsIf(false, false))
  const ofSkip = skip && withFlags(isEnriching ? withRisk(skip.output) : skip.output, flagsIf(true, false))
  const schemas = [ofMissing, ofSkip].flatMap((each) => (each ? [each.schema] : []))
  return {
    flags,
    output: schemas.reduce(joinSchemas, main.schema),
    mapping: main.mapping,
    notFound: missing && { statuses: missing.statuses, when: missing.when, mapping: ofMissing!.mapping },
    skip: skip?.when && { when: skip.when, mapping: ofSkip!.mapping },
  }
}

/** Reads `skip`: a condition, or a condition with an output. */
function readSkip(reading: PluginReading, names: Names, entry: Entry, found: JsonSchema) {
  const output: ReadOutput = readOutput(reading, names, { kind: 'map', entries: [], start: 0, end: 0 })
  if (entry.value.kind !== 'map') return { when: readCondition(reading, names, entry), output }
  const fields = readFields(reading.problems, entry.value, pluginGrammar.skip)
  const [whenEntry, outputEntry] = [fields?.get('when'), fields?.get('output')]
  return {
    when: whenEntry && readCondition(reading, names, whenEntry),
    output: outputEntry ? readOutput(reading, names, outputEntry.value, found) : output,
  }
}

function readNotFound(reading: PluginReading, names: Names, entry: Entry, found: JsonSchema) {
  const none: ReadOutput = readOutput(reading, names, { kind: 'map', entries: [], start: 0, end: 0 })
  if (entry.value.kind !== 'map')
    return { statuses: readStatuses(reading, entry), when: undefined, output: none }
  const fields = readFields(reading.problems, entry.value, pluginGrammar.notFound)
  const when = fields?.get('when')
  const output = fields?.get('output')
  if (fields && !fields.has('status') && when === undefined)
    reading.problems.add('E105', '`not_found` needs `status` or `when`', entry.key)
  return {
    statuses: readStatuses(reading, fields?.get('status')),
    when: when && readCondition(reading, names, when),
    output: output ? readOutput(reading, names, output.value, found) : none,
  }
}

/** A missing object has no score, unless the plugin declares one. */
function withRisk(output: ReadOutput): ReadOutput {
  const { mapping, schema } = output
  if (mapping.kind !== 'map' || mapping.entries.some(([name]) => name === 'risk')) return output
  const value = { kind: 'literal', value: { score: null, reasons: [] } } as const
  return {
    mapping: {
      kind: 'map',
      entries: [...mapping.entries, ['risk', { kind: 'value', value, dropsNull: false }]],
    },
    schema: {
      ...schema,
      required: [...(schema.required ?? []), 'risk'],
      properties: { ...schema.properties, risk: unknownRisk },
    },
  }
}

const unknownRisk: JsonSchema = {
  type: 'object',
  required: ['score', 'reasons'],
  properties: { score: { type: 'null' }, reasons: { type: 'array', items: { type: 'string' } } },
}
