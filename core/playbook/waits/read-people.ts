import { union, withoutNull, type Type } from '../../expression/index.ts'
import { personKey } from '../../transitions/quorum.ts'
import type { Sliced } from '../../common/sliced.ts'
import { bounds, maxPeople, personName, quorumWords, viaOperator } from '../language/constants.ts'
import { suggestNearest } from '../language/did-you-mean.ts'
import { writeDuration } from '../language/durations.ts'
import { grammar } from '../language/grammar.ts'
import type { CheckpointStep, Template } from '../language/playbook.ts'
import { quote } from '../language/problem.ts'
import { programsIn } from '../language/step-reads.ts'
import type { ReadContext } from '../scope/context.ts'
import type { NameScope } from '../scope/scope.ts'
import { compileValue } from '../template/expressions.ts'
import {
  describe,
  headSpan,
  readChoice,
  readDuration,
  readFields,
  readNumber,
  readText,
  type Fields,
} from '../template/fields.ts'
import { keptValue } from '../template/kept-value.ts'
import type { Entry, Node } from '../yaml/document.ts'
import type { AskedPeople } from './waits.ts'
import { itemTypeOf } from '../steps/read-foreach.ts'

type Choices = CheckpointStep['choices'] | undefined

export interface ReadPeople {
  readonly people: AskedPeople<Template>
  /** Type of `person`. */
  readonly person: Type
}

/** Reads `ask`, `escalate`, `quorum` and `veto`. Undefined if one person is asked. */
export function* readPeople(
  context: ReadContext,
  fields: Fields,
  scope: NameScope,
  choices: Choices,
): Sliced<ReadPeople | undefined> {
  const { problems } = context
  const entry = fields.get('ask')
  if (entry === undefined) {
    for (const name of ['escalate', 'quorum', 'veto']) {
      const key = fields.get(name)?.key
      if (key) problems.add('E112', `\`${name}\` goes with \`ask\``, key, 'write ask: with a list of people')
    }
    return undefined
  }
  const first = yield* readAsk(context, entry, scope)
  const escalate = yield* readEscalate(context, fields.get('escalate'), scope)
  const everyone = [first, ...escalate]
  const known = everyone.some(({ written }) => written === undefined)
    ? undefined
    : everyone.flatMap(({ written }) => written ?? [])
  checkWritten(context, entry, first.written, known)
  return {
    people: {
      ask: first.ask,
      escalate: escalate.map(({ ask, afterMs }) => ({ ask, afterMs })),
      quorum: readQuorum(context, fields.get('quorum'), known?.length) ?? 'all',
      veto: readVeto(context, fields.get('veto'), choices),
    },
    person: union(everyone.map(({ person }) => person)),
  }
}

interface Level {
  readonly ask: Template
  readonly person: Type
  /** The people, if all are literal. */
  readonly written: readonly { readonly person: unknown; readonly node: Node }[] | undefined
}

function* readAsk(context: ReadContext, { value }: Entry, scope: NameScope): Sliced<Level> {
  const { template, type } = keptValue(context.problems, yield* compileValue(context, scope, value))
  const nodes = value.kind === 'list' ? value.items : [value]
  const literals = template.kind === 'literal' ? [template.value].flat() : undefined
  return {
    ask: template,
    person: withoutNull(itemTypeOf(type) ?? type),
    written: literals?.map((person, index) => ({ person, node: nodes[index] ?? value })),
  }
}

function* readEscalate(
  context: ReadContext,
  entry: Entry | undefined,
  scope: NameScope,
): Sliced<readonly (Level & { readonly afterMs: number })[]> {
  if (entry === undefined) return []
  const { value } = entry
  if (value.kind !== 'list' || value.items.length === 0) {
    const found = value.kind === 'list' ? 'an empty one' : describe(value)
    const hint = 'write - { after: 15m, ask: <person> }'
    context.problems.add('E106', `expected a list for \`escalate\`, found ${found}`, value, hint)
    return []
  }
  const levels: (Level & { readonly afterMs: number })[] = []
  for (const item of value.items) {
    const fields = readFields(context.problems, item, grammar.escalation)
    const after = fields?.get('after')
    const ask = fields?.get('ask')
    const afterMs = after && readDuration(context.problems, after)
    const level = ask && (yield* readAsk(context, ask, scope))
    if (level && afterMs !== undefined) levels.push({ ...level, afterMs })
  }
  return levels
}

/** Reports people that are missing, too many, or named twice. */
function checkWritten(
  { problems }: ReadContext,
  { value }: Entry,
  first: Level['written'],
  known: Level['written'],
): void {
  if (first?.length === 0)
    problems.add('E106', 'the list of people to ask is empty', headSpan(value), 'add a person')
  if ((known?.length ?? 0) > maxPeople)
    problems.add('E107', `a checkpoint asks at most ${maxPeople} people`, headSpan(value), 'ask fewer people')
  const seen = new Set<string>()
  for (const { person, node } of known ?? []) {
    const key = personKey(person)
    if (person === null || person === '') problems.add('E107', 'a person to ask is empty', node, 'remove it')
    else if (seen.has(key)) {
      const name = typeof person === 'string' ? quote(person) : 'this person'
      problems.add('E107', `${name} is named twice, and each person is asked once`, node, 'remove one')
    }
    seen.add(key)
  }
}

function readQuorum(
  { problems }: ReadContext,
  entry: Entry | undefined,
  people: number | undefined,
): AskedPeople<Template>['quorum'] | undefined {
  if (entry === undefined) return undefined
  const { value } = entry
  if (value.kind === 'scalar' && typeof value.value === 'string' && /^\d+$/.test(value.value)) {
    problems.add(
      'E106',
      'expected a number for `quorum`, found a string',
      value,
      `write quorum: ${value.value}`,
    )
    return undefined
  }
  if (value.kind !== 'scalar' || typeof value.value === 'string')
    return readChoice(problems, entry, quorumWords)
  const quorum = readNumber(problems, entry, bounds.quorum)
  if (quorum !== undefined && people !== undefined && quorum > people) {
    const message = `the quorum is ${quorum}, but only ${people} ${people === 1 ? 'person is' : 'people are'} asked`
    problems.add('E107', message, value, 'add people to `ask`, or lower `quorum`')
  }
  return quorum
}

function readVeto({ problems }: ReadContext, entry: Entry | undefined, choices: Choices): readonly string[] {
  if (entry === undefined || choices === undefined) return []
  if (!('answers' in choices)) {
    problems.add('E112', '`veto` goes with `answers`, not with a form', entry.key)
    return []
  }
  const { value } = entry
  const nodes = value.kind === 'list' ? value.items : [value]
  return nodes.flatMap((node) => {
    const word = readText(problems, { ...entry, value: node })
    if (word === undefined) return []
    if (choices.answers.includes(word)) return [word]
    const message = `veto: ${quote(word)} is not one of ${choices.answers.join(', ')}`
    problems.add('E202', message, node, suggestNearest(word, choices.answers))
    return []
  })
}

/** Reports people who would all get the same message, and those who would be asked after the timeout. */
export function checkPeople(
  { problems }: ReadContext,
  fields: Fields,
  { people, person }: ReadPeople,
  part: { readonly via: string; readonly with: Template },
  timeout: Template | undefined,
): void {
  const reads = programsIn(part.with).flatMap(({ references }) => references)
  const isUsed = reads.some(({ root }) => root === personName)
  if (part.via !== viaOperator && !isUsed) {
    const at = (fields.get('with') ?? fields.get('ask'))!.key
    const field = person.kind === 'object' || person.kind === 'dyn' ? '.…' : ''
    const hint = `use \${{ ${personName}${field} }} in \`with\`, for example as the user`
    problems.add('E107', `\`with\` does not use \`${personName}\`, so all people would be the same`, at, hint)
  }
  if (timeout?.kind !== 'literal' || typeof timeout.value !== 'number') return
  for (const { afterMs } of people.escalate) {
    if (afterMs < timeout.value) continue
    const message = `\`after\` of ${writeDuration(afterMs)} is not before the timeout of ${writeDuration(timeout.value)}`
    problems.add('E107', message, fields.get('escalate')!.key, 'shorten it, or raise `timeout`')
  }
}
