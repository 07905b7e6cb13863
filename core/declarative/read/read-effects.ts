import { explainMismatch, typeOfSchema } from '../../expression/index.ts'
import { destructiveClasses, type JsonSchema } from '../../plugin/index.ts'
import { quote } from '../../playbook/language/problem.ts'
import { readChoice, readFields, type Fields } from '../../playbook/template/fields.ts'
import { plainValue } from '../../playbook/yaml/plain-value.ts'
import type { DeclaredSkill, DeclaredVerify, OutputTemplate } from '../language/declared.ts'
import { pluginGrammar } from '../language/plugin-keys.ts'
import { repeats, skillEffects } from '../language/skill-keys.ts'
import { checkReads } from './read-before.ts'
import { readOutput, withFlags, type Flags } from './read-output.ts'
import { literalText, readRequest } from './read-request.ts'
import { readCondition, type Names, type PluginReading } from './reading.ts'

export type ReadEffects = Pick<
  DeclaredSkill,
  | 'effect'
  | 'repeat'
  | 'verify'
  | 'destructive'
  | 'changedNothing'
  | 'irreversible'
  | 'restores'
  | 'stateUnreadable'
>

/** The parts of a skill that are read before its effects. */
export interface SkillSoFar {
  /** Names visible to the expressions of its requests. */
  readonly names: Names
  /** Names visible to expressions that read an answer. */
  readonly answered: Names
  readonly hasBefore: boolean
  /** Fields that its output has if the request was sent. */
  readonly flags: Flags
  readonly output: JsonSchema
  readonly mapping: OutputTemplate
}

/** Keys that only a write has. */
const ofWrites = [
  'repeat',
  'verify',
  'destructive',
  'changed_nothing',
  'follow_with',
  'undone_by',
  'irreversible',
  'restores',
  'state_by',
  'state_unreadable',
]

/** Reads what a skill does to the other system; undefined if that is missing, which has been reported. */
export function readEffects(
  reading: PluginReading,
  fields: Fields,
  skill: SkillSoFar | undefined,
): ReadEffects | undefined {
  const { problems } = reading
  const choose = <T extends string>(key: string, choices: readonly T[]): T | undefined => {
    const entry = fields.get(key)
    return entry && readChoice(problems, entry, choices)
  }
  const effect = choose('effect', skillEffects)
  const repeat = choose('repeat', repeats)
  const destructive = choose('destructive', destructiveClasses)
  const verify = skill && readVerify(reading, fields, repeat, skill)
  const nothing = fields.get('changed_nothing')
  const changedNothing =
    nothing && skill && readCondition(reading, { output: typeOfSchema(skill.output) }, nothing)
  if (effect === 'write' && !fields.has('repeat')) {
    const hint = 'safe: the vendor accepts it twice; never: a person decides after an interruption'
    problems.add('E105', 'a write needs `repeat`', fields.get('effect')!.key, hint)
  }
  if (effect === 'read') checkRead(reading, fields)
  const reversal = readReversal(reading, fields)
  return effect && { effect, repeat, verify, destructive, changedNothing, ...reversal }
}

/** How the skill can be undone, as declared. */
function readReversal(
  reading: PluginReading,
  fields: Fields,
): Pick<DeclaredSkill, 'irreversible' | 'restores' | 'stateUnreadable'> {
  const { problems } = reading
  for (const key of ['irreversible', 'restores', 'state_by', 'state_unreadable']) {
    const entry = fields.get(key)
    if (entry === undefined || fields.has('destructive')) continue
    problems.add('E806', `${quote(key)} is only for destructive skills`, entry.key, 'leave it out')
  }
  const reason = fields.get('irreversible')
  if (reason && fields.has('undone_by'))
    problems.add('E806', '`irreversible` contradicts `undone_by`', reason.key, 'leave one of them out')
  for (const key of ['state_by', 'state_unreadable']) {
    const entry = fields.get(key)
    if (entry && !fields.has('undone_by'))
      problems.add('E806', `${quote(key)} is only for skills with \`undone_by\``, entry.key, 'leave it out')
  }
  const unreadable = fields.get('state_unreadable')
  if (unreadable && fields.has('state_by'))
    problems.add('E806', '`state_unreadable` contradicts `state_by`', unreadable.key, 'leave one of them out')
  const restores = fields.get('restores')
  if (restores && plainValue(restores.value) !== true)
    problems.add('E806', '`restores` must be true', restores.value, 'write restores: true, or leave it out')
  return {
    irreversible: literalText(reading, fields, 'irreversible'),
    restores: restores !== undefined,
    stateUnreadable: literalText(reading, fields, 'state_unreadable'),
  }
}

function checkRead({ problems }: PluginReading, fields: Fields): void {
  for (const key of ofWrites) {
    const entry = fields.get(key)
    if (entry) problems.add('E806', `${quote(key)} is only for writes`, entry.key, 'leave it out')
  }
  // Some systems search by POST.
  const request = fields.get('request')?.value
  const changing =
    request?.kind === 'map'
      ? request.entries.find(({ name }) => /^(put|patch|delete)$/.test(name))
      : undefined
  if (changing === undefined) return
  const message = `a skill that reads cannot send ${changing.name.toUpperCase()}`
  problems.add('E806', message, changing.key, 'write effect: write')
}

function readVerify(
  reading: PluginReading,
  fields: Fields,
  repeat: ReadEffects['repeat'],
  { names, answered, hasBefore, flags, output, mapping }: SkillSoFar,
): DeclaredVerify | undefined {
  const { problems } = reading
  const entry = fields.get('verify')
  if (entry === undefined) {
    if (repeat === 'verify') {
      const hint = 'write verify: { request: …, took_effect: … }'
      problems.add('E105', '`repeat: verify` needs `verify`', fields.get('repeat')!.key, hint)
    }
    return undefined
  }
  if (repeat !== undefined && repeat !== 'verify')
    problems.add('E112', '`verify` belongs to `repeat: verify`', entry.key, 'write repeat: verify')
  const own = readFields(problems, entry.value, pluginGrammar.verify)
  const requestEntry = own?.get('request')
  const conditionEntry = own?.get('took_effect')
  const outputEntry = own?.get('output')
  const request = requestEntry && readRequest(reading, names, requestEntry.value)?.request
  checkReads(reading, requestEntry?.value, '`verify`')
  if (own && !requestEntry && !hasBefore)
    problems.add('E105', '`verify` needs `request`', entry.key, 'write the request that asks for the state')
  const after = requestEntry ? answered : names
  const tookEffect = conditionEntry && readCondition(reading, after, conditionEntry)
  const given = outputEntry && readOutput(reading, after, outputEntry.value, output)
  if (own && !requestEntry && !outputEntry)
    problems.add('E105', '`verify` without `request` needs `output`', entry.key, 'write output: { … }')
  const read = given && withFlags(given, flags)
  const mismatch = read && explainMismatch(typeOfSchema(read.schema), typeOfSchema(output))
  if (mismatch !== undefined) {
    const message = `the output of \`verify\` does not fit that of the skill: ${mismatch}`
    problems.add('E805', message, outputEntry!.value)
  }
  if (tookEffect === undefined || (requestEntry !== undefined && request === undefined)) return undefined
  return { request, tookEffect, mapping: read?.mapping ?? mapping }
}
