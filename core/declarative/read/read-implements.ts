import { explainMismatch, typeOfSchema } from '../../expression/index.ts'
import { acceptedInput, interfaceNamed, withoutSensitive } from '../../interface/definitions.ts'
import type { InterfaceDefinition, JsonSchema } from '../../plugin/index.ts'
import { checkFit } from '../../playbook/check/check-fit.ts'
import { quote } from '../../playbook/language/problem.ts'
import { describe, readFields } from '../../playbook/template/fields.ts'
import type { Entry } from '../../playbook/yaml/document.ts'
import { plainValue } from '../../playbook/yaml/plain-value.ts'
import { checkImplementation, type ImplementingSkill } from '../../registry/check-implementing.ts'
import type { DeclaredImplementation } from '../language/declared.ts'
import { pluginGrammar } from '../language/plugin-keys.ts'
import { readOutput } from './read-output.ts'
import { readTemplate, type PluginReading } from './reading.ts'

interface Skill extends ImplementingSkill {
  readonly input: JsonSchema
  readonly output: JsonSchema
}

/** Reads `implements`: name of an interface → how its fields are mapped. */
export function readImplements(
  reading: PluginReading,
  entry: Entry | undefined,
  skill: Skill,
): readonly DeclaredImplementation[] {
  if (entry === undefined) return []
  if (entry.value.kind === 'map')
    return entry.value.entries.flatMap((each) => readImplementation(reading, each, skill) ?? [])
  const hint = 'write { <interface>: { input: …, output: … } }'
  const message = `expected a map of interfaces for \`implements\`, found ${describe(entry.value)}`
  reading.problems.add('E106', message, entry.value, hint)
  return []
}

function readImplementation(
  reading: PluginReading,
  { name, key, value }: Entry,
  skill: Skill,
): DeclaredImplementation | undefined {
  const { problems } = reading
  const fields = readFields(problems, value, pluginGrammar.implementation)
  const only = fields?.get('only')
  const accepted = only && (plainValue(only.value) as DeclaredImplementation['only'])
  const declared = { ...(only && { only: accepted }), input: noMapping, output: noMapping }
  const wrong = checkImplementation(name, declared, skill)
  for (const { pointer, message } of wrong) {
    const place = pointer === '' ? quote(name) : `${quote(name)}: ${pointer.slice(1).replaceAll('/', '.')}`
    problems.add('E806', `${place} ${message}`, pointer === '' ? key : (only ?? { key }).key)
  }
  const found = interfaceNamed(name)
  if (fields === undefined || found === undefined || wrong.length > 0) return undefined
  const input = readInput(reading, fields.get('input'), acceptedInput(found, accepted), skill)
  const output = readResult(reading, fields.get('output'), found, acceptedInput(found, accepted), skill)
  return input && output && { interface: name, only: accepted, input, output }
}

const noMapping = () => undefined

const codes = { unknown: 'E805', missing: 'E805', misfit: 'E805' } as const

function readInput(reading: PluginReading, entry: Entry | undefined, given: JsonSchema, skill: Skill) {
  if (entry === undefined) return undefined
  const typed = readTemplate(reading, { input: typeOfSchema(given) }, entry.value)
  checkFit(reading.problems, typed, typeOfSchema(skill.input), '', codes, entry.key)
  return typed.template
}

function readResult(
  reading: PluginReading,
  entry: Entry | undefined,
  { output: wanted }: InterfaceDefinition,
  given: JsonSchema,
  skill: Skill,
) {
  if (entry === undefined) return undefined
  const names = { input: typeOfSchema(given), output: typeOfSchema(withoutSensitive(skill.output)) }
  const { mapping, schema } = readOutput(reading, names, entry.value, wanted)
  const mismatch = explainMismatch(typeOfSchema(schema), typeOfSchema(wanted))
  if (mismatch !== undefined && !reading.problems.hasErrorIn(entry.value)) {
    const message = `the mapped output does not fit the interface: ${mismatch}`
    reading.problems.add(
      'E805',
      message,
      entry.key,
      `it has ${Object.keys(wanted.properties ?? {}).join(', ')}`,
    )
  }
  return mapping
}
