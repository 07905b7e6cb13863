import { authorsInput } from '../../playbook/check/asked-input.ts'
import type { Node } from '../../playbook/yaml/document.ts'
import { openSource } from '../../playbook/yaml/open-source.ts'
import { viaOperator } from '../../playbook/language/constants.ts'
import type { JsonSchema } from '../../plugin/index.ts'
import type { NamedStep } from '../../playbook-test/read/named-steps.ts'
import { branchesOf } from '../../playbook-test/coverage/coverage.ts'
import type { CatalogueSkill } from '../../registry/catalogue.ts'
import { candidates, isComment, mark } from '../completion/complete.ts'
import { completeKeys, completeValue } from '../completion/complete-yaml.ts'
import type { Completion, Completions } from '../completion/completion.ts'
import { inputsOf } from '../describe-playbook.ts'
import { skillDocumentation } from '../describe-skill.ts'
import { findNode, type PathStep } from '../inspection.ts'
import type { Guide } from '../schema-walk.ts'
import { testedPlaybook, type PlaybookUnderTest, type TestsSurroundings } from './inspect-tests.ts'

/** The context of an editor for test files. */
export interface TestsGuide extends TestsSurroundings {
  /** `schemas/playbook-test.schema.json`. */
  readonly schema: JsonSchema
  /** Paths of the playbooks beside the tests. */
  readonly playbookFiles: () => readonly string[]
}

/** Maximum number of variants parsed per completion, each with other brackets closed after the cursor. */
const maxReadings = 16

/**
 * Completions at an offset of a test file: keys, the playbook, its steps and skills, their outputs, and
 * answers.
 */
export function completeTests(text: string, offset: number, guide: TestsGuide): Completions {
  const word = testWordAt(text, offset)
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset)
  if (!isComment(line)) {
    for (const candidate of candidates(text, offset).take(maxReadings)) {
      const { root } = openSource(candidate, undefined, 'tolerant')
      const items = root && completeAt(root, candidate, guide, text.slice(word.end))
      // The start of a key or of a value, whichever has completions.
      if (items !== undefined && items.length > 0) return { items, replaces: word }
    }
  }
  return { items: [], replaces: word }
}

/** In a test file, paths of steps and their items are words. */
function testWordAt(text: string, offset: number): Completions['replaces'] {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset)
  const [before = ''] = /(?:[\w.\-/@]|\[\d+\]|#\d+)*$/.exec(line) ?? []
  const [after = ''] = /^(?:[\w.\-/@]|\[\d+\]|#\d+)*/.exec(text.slice(offset, offset + 200)) ?? []
  // `- ` of a list is no part of a word.
  return { start: offset - (/^-+$/.test(before) ? 0 : before.length), end: offset + after.length }
}

function completeAt(
  root: Node,
  text: string,
  guide: TestsGuide,
  after: string,
): readonly Completion[] | undefined {
  const tested = testedPlaybook(root, guide)
  return findNode(root, ({ node, path }): readonly Completion[] | undefined => {
    if (node.kind === 'map') {
      const key = node.entries.find(({ name }) => name.includes(mark))
      if (key === undefined) return undefined
      const present = new Set(node.entries.map(({ name }) => name))
      const hasColon = /^ *:/.test(after)
      if (isMocks(path)) return mockKeys(tested, guide, present, hasColon)
      const place = placeIn(path, tested, guide)
      return completeKeys(place.guide, node, place.path, { isFlow: text[node.start] === '{', hasColon })
    }
    if (node.kind !== 'scalar' || !String(node.value).includes(mark)) return undefined
    const special = completeSpecial(path, tested, guide)
    if (special) return special
    const place = placeIn(path, tested, guide)
    return completeValue(place.guide, place.path)
  })
}

const keyAt = (step: PathStep | undefined): string | undefined =>
  step !== undefined && 'key' in step ? step.key : undefined
const keysIn = (path: readonly PathStep[]): readonly string[] => path.flatMap((step) => keyAt(step) ?? [])

/** `mocks` of the file, or of a test. */
const isMocks = (path: readonly PathStep[]): boolean =>
  keyAt(path.at(-1)) === 'mocks' && (path.length === 1 || (path.length === 3 && keyAt(path[0]) === 'tests'))

/** The name of the mocked step or skill, and the path within the reply. */
function mockIn(
  path: readonly PathStep[],
): { readonly name: string; readonly rest: readonly PathStep[] } | undefined {
  const at = path.findIndex((_, index) => isMocks(path.slice(0, index + 1)))
  const name = keyAt(path[at + 1])
  if (at < 0 || name === undefined) return undefined
  const rest = path.slice(at + 2)
  return { name, rest: rest[0] !== undefined && 'index' in rest[0] ? rest.slice(1) : rest }
}

function stepNamed({ named }: PlaybookUnderTest, name: string): NamedStep | undefined {
  const plain = name.replaceAll(/\[\d+\]|#\d+/g, '')
  return named.find((each) => each.name === plain) ?? named.find((each) => each.path === plain)
}

const skillOf = ({ step }: NamedStep): string | undefined =>
  step.action === 'uses'
    ? step.skill
    : step.action === 'checkpoint' && step.via !== viaOperator
      ? step.via
      : undefined

/** Values that depend on the playbook. */
function completeSpecial(
  path: readonly PathStep[],
  tested: PlaybookUnderTest,
  guide: TestsGuide,
): readonly Completion[] | undefined {
  const keys = keysIn(path)
  const last = keys.at(-1)
  if (keys.length === 1 && last === 'playbook')
    return guide.playbookFiles().map((label) => ({ label, kind: 'playbook' }))
  if (keys.length === 1 && last === 'unreachable' && tested.playbook !== undefined)
    return branchesOf(tested.playbook).map(({ key, label }) => ({ label: key, kind: 'value', detail: label }))
  const [, expect, what] = keys
  if (keys[0] === 'tests' && expect === 'expect') {
    if (what === 'path' || what === 'skipped')
      return stepItems(tested.named.filter(({ name }) => !name.startsWith('@')))
    if (what === 'calls' && last === 'step' && keys.length === 4)
      return stepItems(tested.named.filter((named) => skillOf(named) !== undefined))
    if (what === 'calls' && last === 'skill' && keys.length === 4) return skillItems(tested, guide)
  }
  const mock = mockIn(path)
  return mock && completeReply(mock.name, keysIn(mock.rest), tested, guide)
}

function completeReply(
  name: string,
  keys: readonly string[],
  tested: PlaybookUnderTest,
  { catalogue }: TestsGuide,
): readonly Completion[] | undefined {
  const step = name.startsWith('steps.') ? stepNamed(tested, name.slice('steps.'.length)) : undefined
  if (keys.length === 0) return [{ label: 'timeout', kind: 'value', detail: 'never answers' }]
  if (keys.length !== 1) return undefined
  if (keys[0] === 'answer' && step?.step.action === 'checkpoint') {
    const { choices } = step.step
    return 'answers' in choices ? choices.answers.map((label) => ({ label, kind: 'value' })) : []
  }
  if (keys[0] === 'example') {
    const skill = catalogue?.skill((step ? skillOf(step) : name) ?? '')?.skill
    return skill?.examples.map(({ title }) => ({ label: title, kind: 'value' })) ?? []
  }
  if (keys[0] === 'by_kind') return ['person', 'api_key'].map((label) => ({ label, kind: 'value' }))
  return undefined
}

const stepItems = (steps: readonly NamedStep[]): readonly Completion[] =>
  [...new Map(steps.map((each) => [each.name, each])).values()].map((each) => ({
    label: each.name,
    kind: 'step',
    detail: skillOf(each) ?? each.step.action,
  }))

function skillItems({ named }: PlaybookUnderTest, { catalogue }: TestsGuide): readonly Completion[] {
  const used = new Set(named.flatMap((each) => skillOf(each) ?? []))
  return [...used].flatMap((name) => {
    const entry: CatalogueSkill | undefined = catalogue?.skill(name)
    return entry === undefined
      ? []
      : [
          {
            label: name,
            kind: 'skill' as const,
            detail: entry.skill.title,
            documentation: skillDocumentation(entry),
          },
        ]
  })
}

/** Steps that call other systems, and their skills. */
function mockKeys(
  tested: PlaybookUnderTest,
  guide: TestsGuide,
  present: ReadonlySet<string>,
  hasColon: boolean,
): readonly Completion[] {
  const mockable = tested.named.filter(
    (each) => skillOf(each) !== undefined || ['checkpoint', 'call'].includes(each.step.action),
  )
  const steps = stepItems(mockable).map((item) => ({ ...item, label: `steps.${item.label}`, rank: 0 }))
  return [...steps, ...skillItems(tested, guide)]
    .filter(({ label }) => !present.has(label))
    .map((item) => ({ ...item, insert: hasColon ? item.label : `${item.label}: ` }))
}

/**
 * The schema at a place and the path within it: of test files, or of the playbook's alert, inputs and skills.
 */
function placeIn(
  path: readonly PathStep[],
  tested: PlaybookUnderTest,
  { schema, catalogue }: TestsGuide,
): { readonly guide: Guide; readonly path: readonly PathStep[] } {
  const within = (inner: JsonSchema | undefined, from: number) =>
    inner === undefined ? undefined : { guide: { schema: inner, catalogue }, path: path.slice(from) }
  const keys = keysIn(path)
  const inputs = path.findIndex((step) => keyAt(step) === 'inputs')
  if (inputs >= 0 && inputs <= 2 && tested.playbook !== undefined)
    return within(inputsOf(tested.playbook), inputs + 1)!
  const data = path.findIndex((step) => keyAt(step) === 'data')
  if (data > 0 && keyAt(path[data - 1]) === 'alert' && tested.playbook?.alertSchema !== undefined)
    return within(tested.playbook.alertSchema, data + 1)!
  const mock = mockIn(path)
  const kind = keyAt(mock?.rest[0])
  if (mock !== undefined && (kind === 'output' || kind === 'with')) {
    const inner = within(
      mockSchema(mock.name, kind, tested, { schema, catalogue }),
      path.length - mock.rest.length + 1,
    )
    if (inner) return inner
  }
  const calls = path.findIndex((step) => keyAt(step) === 'calls')
  const call = path[calls + 2]
  if (calls >= 0 && keys[0] === 'tests' && call !== undefined && keyAt(call) === 'with' && 'key' in call) {
    const value = (name: string): string => {
      const node = call.in.entries.find((entry) => entry.name === name)?.value
      return node?.kind === 'scalar' ? String(node.value) : ''
    }
    const step = stepNamed(tested, value('step'))
    const skill = catalogue?.skill(value('skill') || ((step && skillOf(step)) ?? ''))?.skill
    const inner = within(skill && authorsInput(skill), calls + 3)
    if (inner) return inner
  }
  return { guide: { schema, catalogue }, path }
}

function mockSchema(
  name: string,
  kind: 'output' | 'with',
  tested: PlaybookUnderTest,
  { catalogue }: Guide,
): JsonSchema | undefined {
  const step = name.startsWith('steps.') ? stepNamed(tested, name.slice('steps.'.length)) : undefined
  const skill = catalogue?.skill((step ? skillOf(step) : name) ?? '')?.skill
  if (skill === undefined) return undefined
  return kind === 'output' ? (skill.output as JsonSchema) : authorsInput(skill)
}
