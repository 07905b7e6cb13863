import { suggest } from '../../playbook/language/did-you-mean.ts'
import type { Entry, Node } from '../../playbook/yaml/document.ts'
import { describe, headSpan, readFields, type Fields } from '../../playbook/template/fields.ts'
import { viaOperator } from '../../playbook/language/constants.ts'
import { checkFit } from '../../playbook/check/check-fit.ts'
import { jsonType } from '../../playbook/template/type-forms.ts'
import type { CheckpointStep, Playbook, StateStep, Step } from '../../playbook/language/playbook.ts'
import type { AwaitedEvent } from '../../playbook/waits/waits.ts'
import { quote, type Problems } from '../../playbook/language/problem.ts'
import { writtenValue } from '../../playbook/template/template.ts'
import { interfaceNamed } from '../../interface/definitions.ts'
import { usedInterface } from '../../interface/interface-skills.ts'
import type { Catalogue, CatalogueSkill } from '../../registry/catalogue.ts'
import { compileSchema } from '../../schema/index.ts'
import type { TestContext } from './context.ts'
import { testGrammar } from './grammar.ts'
import { nodeAt, partsOf, plainValue } from './place.ts'
import type { Mocks, MockReply, ReplyContent } from './playbook-test.ts'
import { withoutItems } from './placed-steps.ts'
import { merge } from './read-fixtures.ts'
import { readStateMock } from '../state/mocked-state.ts'
import { readMockAnswer, readMockEvent } from '../waits/read-waits.ts'
import { readError } from './read-mock-error.ts'
import { readMap, readSpan, readTestString, reportUnknownStep } from './read-values.ts'

/** Parses `mocks`, by skill or by `steps.<id>`. */
export function readMocks(context: TestContext, entry: Entry): Mocks {
  const mocks = new Map<string, readonly MockReply[]>()
  if (!readMap(context.problems, entry) || entry.value.kind !== 'map') return mocks
  for (const { name, key, value } of entry.value.entries) {
    const subject = subjectOf(context, name, key)
    if (subject === undefined) continue
    const nodes = value.kind === 'list' ? value.items : [value]
    if (nodes.length === 0) context.problems.add('E106', 'a mock needs a reply', headSpan(value))
    const replies = nodes.map((node) => readReply(context, node, subject))
    mocks.set(
      name,
      replies.filter((reply) => reply !== undefined),
    )
  }
  return mocks
}

/** The mocked subject: a skill, which may be unknown, a person who is asked, a state, or a called playbook. */
type Subject =
  | { readonly skill: CatalogueSkill | undefined }
  | { readonly checkpoint: CheckpointStep }
  | { readonly state: StateStep }
  | { readonly event: AwaitedEvent<unknown>['event'] }
  | { readonly callee: Playbook | undefined }

function subjectOf(context: TestContext, name: string, key: Entry['key']): Subject | undefined {
  const { problems, catalogue, named } = context
  if (name.startsWith('steps.')) return stepSubject(context, name.slice('steps.'.length), key)
  const skill = catalogue.skill(name)
  if (skill === undefined) {
    const names = catalogue.usable.map((each) => each.name)
    const hint = suggest(name, names) ?? 'write <plugin>.<skill>, or steps.<id>'
    problems.add('E301', `there is no skill ${quote(name)}`, key, hint)
    return undefined
  }
  if (!named.some(({ step }) => skillsOf(step, catalogue).includes(name))) {
    problems.add('W601', `the playbook never calls ${name}`, key, 'remove the mock')
  }
  return { skill: asMocked(skill) }
}

/** The mock of an interface returns the output of one vendor. */
function asMocked(found: CatalogueSkill): CatalogueSkill {
  const of = interfaceNamed(usedInterface(found.name) ?? '')
  return of === undefined ? found : { ...found, skill: { ...found.skill, output: of.output } }
}

function stepSubject(
  { problems, catalogue, named, called }: TestContext,
  wanted: string,
  key: Entry['key'],
): Subject | undefined {
  const found = stepCalled(named, wanted)
  if (found === undefined) {
    reportUnknownStep(
      problems,
      wanted,
      key,
      named.map(({ name }) => name),
    )
    return undefined
  }
  if (found.action === 'checkpoint') return { checkpoint: found }
  if (found.action === 'state') return { state: found }
  if (found.action === 'wait' && 'event' in found.wait) return { event: found.wait.event }
  if (found.action === 'call' && found.id === wanted) return { callee: called.get(found.playbook) }
  const [name] = skillsOf(found, catalogue)
  const skill = name === undefined ? undefined : catalogue.skill(name)
  if (name !== undefined) return { skill: skill && asMocked(skill) }
  problems.add('E602', `the step ${quote(wanted)} calls no skill: there is nothing to mock`, key, () =>
    found.action === 'call' ? 'mock the call around it, or what it calls' : undefined,
  )
  return undefined
}

/** Finds a step by name or, unless it is a call, by its path in the journal; an item as `each[1]`. */
function stepCalled(named: TestContext['named'], wanted: string): Step | undefined {
  const byName = named.find(({ name }) => name === wanted)?.step
  if (byName !== undefined) return byName
  const path = withoutItems(wanted)
  const found = named.find((each) => each.path === path || (path !== wanted && each.name === path))?.step
  return found?.action === 'call' ? undefined : found
}

/** The skill of a step; for an interface also those that implement it. */
function skillsOf(step: Step, catalogue: Catalogue): readonly string[] {
  const name = step.action === 'uses' ? step.skill : step.action === 'checkpoint' ? step.via : viaOperator
  if (name === viaOperator) return []
  const of = usedInterface(name)
  return [name, ...(of === undefined ? [] : catalogue.implementing(of).map((each) => each.name))]
}

const contents = ['output', 'example', 'error', 'timeout', 'answer', 'event'] as const

function hintFor(subject: Subject): string {
  if ('event' in subject) return 'a wait has an `event`, or is `timeout`'
  if ('state' in subject) return 'a `state` step has an `output` or an `error`'
  if ('checkpoint' in subject) return 'a checkpoint has an `answer`, an `error`, or is `timeout`'
  return 'a mock has an `output` (or an `example`), an `error`, or is `timeout`'
}

function readReply(context: TestContext, node: Node, subject: Subject): MockReply | undefined {
  const { problems } = context
  if (node.kind === 'scalar' && node.value === 'timeout') {
    if (!('state' in subject)) return { with: undefined, delayMs: 0, kind: 'timeout' }
    problems.add('E602', 'a `state` step has no `timeout`', node, hintFor(subject))
    return undefined
  }
  const fields = readFields(problems, node, testGrammar.reply)
  if (fields === undefined) return undefined
  const given = contents.filter((name) => fields.has(name))
  const isOne = given.length === 1 || (given.length === 2 && fields.has('output') && fields.has('example'))
  if (!isOne) {
    const hint = hintFor(subject)
    const message =
      given.length === 0
        ? 'this mock answers nothing'
        : `a mock answers one thing, not ${given.map((name) => `\`${name}\``).join(' and ')}`
    // A misspelt key was already reported.
    if (given.length > 0 || node.kind !== 'map' || node.entries.length === fields.size)
      problems.add('E601', message, headSpan(node), hint)
    return undefined
  }
  const content = readContent(context, fields, subject)
  const delay = fields.get('delay')
  const only = fields.get('with')
  if (content === undefined) return undefined
  return {
    with: only && readMap(problems, only) ? plainValue(only.value) : undefined,
    delayMs: (delay && readSpan(problems, delay)) ?? 0,
    ...content,
  }
}

function readContent(context: TestContext, fields: Fields, subject: Subject): ReplyContent | undefined {
  const { problems } = context
  if ('state' in subject) return readStateMock(context, fields, subject.state)
  const answer = fields.get('answer')
  for (const name of ['by', 'by_kind', 'by_name', 'text']) {
    const entry = fields.get(name)
    if (entry && !answer) problems.add('E112', `\`${name}\` goes with \`answer\``, entry.key)
  }
  const event = fields.get('event')
  const timeout = fields.get('timeout')
  if ('event' in subject)
    return timeout ? readTimeout(context, timeout) : readMockEvent(context, fields, subject.event)
  if (event) {
    problems.add('E602', 'only a `wait` for an event receives one', event.key, 'write `output`')
    return undefined
  }
  const error = fields.get('error')
  if (error) return readError(context, error.value)
  if (timeout) return readTimeout(context, timeout)
  const example = fields.get('example')
  const output = fields.get('output')
  if ('checkpoint' in subject) {
    if (answer) return readMockAnswer(context, answer, fields, subject.checkpoint)
    const key = (output ?? example)!.key
    problems.add('E602', 'a person answers a checkpoint, not a skill', key, 'write `answer`')
    return undefined
  }
  if (answer) {
    problems.add('E602', 'only a checkpoint is answered by a person', answer.key, 'write `output`')
    return undefined
  }
  if ('skill' in subject) return readOutput(context, example, output, subject.skill)
  if (example) {
    problems.add('E602', 'a playbook has no examples', example.key, 'write `output`')
    return undefined
  }
  return readCalledOutput(context, output!, subject.callee)
}

const calledCodes = { unknown: 'E602', missing: 'E602', misfit: 'E602' } as const

/** Checks the output against the called playbook's `outputs` and every `return`. */
function readCalledOutput(
  { problems }: TestContext,
  { value }: Entry,
  callee: Playbook | undefined,
): ReplyContent {
  if (callee) checkFit(problems, writtenValue(value), jsonType(callee.outputType), '', calledCodes)
  return { kind: 'output', output: plainValue(value) }
}

function readTimeout({ problems }: TestContext, { value }: Entry): ReplyContent {
  if (value.kind !== 'scalar' || value.value !== true)
    problems.add(
      'E106',
      `expected true for \`timeout\`, found ${describe(value)}`,
      value,
      'write timeout: true',
    )
  return { kind: 'timeout' }
}

/** Parses an output, or an example of the skill with changes. */
function readOutput(
  { problems }: TestContext,
  example: Entry | undefined,
  output: Entry | undefined,
  skill: CatalogueSkill | undefined,
): ReplyContent | undefined {
  let value = output && plainValue(output.value)
  if (example) {
    const title = readTestString(problems, example)
    if (title === undefined) return undefined
    const found = skill?.skill.examples.find((each) => each.title === title)
    if (found === undefined) {
      const titles = skill?.skill.examples.map((each) => each.title) ?? []
      const hint = suggest(title, titles) ?? `examples: ${titles.join(' · ')}`
      problems.add('E107', `${skill?.name ?? 'the step'} has no example ${quote(title)}`, example.value, hint)
      return undefined
    }
    value = output === undefined ? found.output : merge(found.output, value)
  }
  const at = output?.value ?? example!.value
  const misfits = skill === undefined ? [] : compileSchema(skill.skill.output).problems(value)
  const missing = new Map<Node, string[]>()
  for (const { pointer, message } of misfits) {
    const parts = partsOf(pointer)
    const node = nodeAt(at, parts)
    if (message === 'is missing') missing.set(node, [...(missing.get(node) ?? []), parts.join('.')])
    else {
      const hint = skill && `\`tocsin skills ${skill.name}\` shows its output`
      problems.add('E602', `${pointer === '' ? '' : `${parts.join('.')}: `}${message}`, node, hint)
    }
  }
  for (const [node, names] of missing) reportMissing(problems, node, names, skill)
  return { kind: 'output', output: value }
}

/** Reports required fields that an incomplete mock lacks. */
function reportMissing(
  problems: Problems,
  node: Node,
  names: readonly string[],
  skill: CatalogueSkill | undefined,
): void {
  const [title] = skill?.skill.examples.map((each) => each.title) ?? []
  const hint = title && `an example gives the rest: { example: ${title}, output: { … } }`
  const listed =
    names.length > 8 ? `${names.slice(0, 7).join(', ')} and ${names.length - 7} more` : names.join(', ')
  problems.add('E602', `${listed} ${names.length === 1 ? 'is' : 'are'} missing`, node, hint)
}
