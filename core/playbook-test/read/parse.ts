import { ValidationError } from '../../errors/errors.ts'
import type { Entry, Node } from '../../playbook/yaml/document.ts'
import { suggest } from '../../playbook/language/did-you-mean.ts'
import { headSpan, readFields, readText, type Fields } from '../../playbook/template/fields.ts'
import { parseWithCalledInSlices } from '../../playbook/read/parse-with-called.ts'
import type { Playbook } from '../../playbook/language/playbook.ts'
import type { PlaybookSources } from '../../playbook/read/callable-playbooks.ts'
import { quote, type Problem } from '../../playbook/language/problem.ts'
import { resolveInputs } from '../../playbook/template/inputs.ts'
import { openSource, openSourceInSlices, type OpenSource } from '../../playbook/yaml/open-source.ts'
import { compileSchema } from '../../schema/index.ts'
import { schemaFor } from '../../trigger/example-trigger.ts'
import { runAtOnce, type Sliced } from '../../common/sliced.ts'
import type { Catalogue } from '../../registry/catalogue.ts'
import type { TestContext } from './context.ts'
import { testGrammar, maxTests } from './grammar.ts'
import { branchesOf } from '../coverage/coverage.ts'
import { nodeAt, partsOf, testPlaceOf } from './place.ts'
import { namedSteps } from './named-steps.ts'
import { placedSteps } from './placed-steps.ts'
import type { CalledByName, Fixtures, Mocks, PlaybookTest, PlaybookTests } from './playbook-test.ts'
import { readExpect } from './read-expect.ts'
import { readFixtures, resolveFixtures, type GivenFixtures } from './read-fixtures.ts'
import { readMocks } from './read-mocks.ts'
import { readTestList, readTestString } from './read-values.ts'

export interface ParseTestsOptions {
  /** File name for the problems. */
  readonly file?: string | undefined
  readonly catalogue: Catalogue
  /** Loads the source of the playbook under test; undefined if there is none. */
  readonly loadPlaybook: (reference: string) => string | Uint8Array | undefined
  /** Checked playbooks by reference, kept between calls with the same `loadPlaybook`. Default: none. */
  readonly checked?: Map<string, CheckedPlaybook> | undefined
}

interface CheckedPlaybook {
  readonly playbook: Playbook | undefined
  readonly called: CalledByName
}

export interface ParsedTests {
  /** Undefined exactly if one of the problems is an error. */
  readonly tests: PlaybookTests | undefined
  /** Sorted by position. */
  readonly problems: readonly Problem[]
}

/**
 * Parses and checks a test file with its playbook. Never throws: every mistake becomes a problem with a
 * position.
 */
export const parseTests = (source: string | Uint8Array, options: ParseTestsOptions): ParsedTests =>
  runAtOnce(parseTestsInSlices(source, options))

/** {@link parseTests} in time slices. */
export function* parseTestsInSlices(
  source: string | Uint8Array,
  options: ParseTestsOptions,
): Sliced<ParsedTests> {
  const open = yield* openSourceInSlices(source, options.file)
  const tests = open.root && (yield* readFile(open.root, open, options))
  return { tests: open.problems.hasErrors ? undefined : tests, problems: open.problems.list() }
}

/** The fixtures and mocks of a file, without its tests. */
export interface ParsedWorld {
  /** Undefined exactly if one of the problems is an error. */
  readonly world: World | undefined
  readonly problems: readonly Problem[]
}

interface World {
  readonly mocks: Mocks
  readonly hasAlert: boolean
  /** The file's fixtures with another alert and other inputs. */
  fixtures(given: Partial<GivenFixtures>): Fixtures
}

/** Parses `fixtures` and `mocks` of a file for a playbook; ignores its tests and the playbook it names. */
export function parseWorld(
  source: string | Uint8Array,
  playbook: Playbook,
  options: Pick<ParseTestsOptions, 'file' | 'catalogue'> & { readonly called?: CalledByName | undefined },
): ParsedWorld {
  const open = openSource(source, options.file)
  const fields = open.root && readFields(open.problems, open.root, { ...testGrammar.file, required: [] })
  const world =
    fields && readWorld(contextOf(open, options.catalogue, playbook, options.called ?? new Map()), fields)
  if (world === undefined || open.problems.hasErrors)
    return { world: undefined, problems: open.problems.list() }
  const { mocks, given } = world
  return {
    world: {
      mocks,
      hasAlert: given?.alert !== undefined,
      fixtures: (further) =>
        resolveFixtures(playbook, [given ?? nothingGiven, { ...nothingGiven, ...further }]),
    },
    problems: open.problems.list(),
  }
}

const nothingGiven: GivenFixtures = {
  nowMs: undefined,
  alert: undefined,
  organization: undefined,
  inputs: undefined,
}

function contextOf(
  { source, problems }: OpenSource,
  catalogue: Catalogue,
  playbook: Playbook,
  called: CalledByName,
): TestContext {
  const named = namedSteps(playbook, called)
  return { source, problems, catalogue, playbook, called, steps: placedSteps(playbook), named }
}

function* readFile(
  root: Node,
  open: OpenSource,
  options: ParseTestsOptions,
): Sliced<PlaybookTests | undefined> {
  const { problems } = open
  const fields = readFields(problems, root, testGrammar.file)
  const reference = fields?.get('playbook')
  const entry = fields?.get('tests')
  if (fields === undefined || reference === undefined || entry === undefined) return undefined
  const { playbook, called } = yield* readPlaybook(open, reference, options)
  if (playbook === undefined) return undefined
  const context = contextOf(open, options.catalogue, playbook, called)
  const world = readWorld(context, fields)
  const nodes = readTestList(problems, entry)
  if (entry.value.kind === 'list' && nodes.length === 0)
    problems.add('E106', 'there are no tests here', headSpan(entry.value))
  if (nodes.length > maxTests) problems.add('E107', `a file has at most ${maxTests} tests`, entry.key)
  const seen = new Set<string>()
  const tests: PlaybookTest[] = []
  for (const node of nodes.slice(0, maxTests)) {
    yield
    const test = readTest(context, node, world, seen)
    if (test !== undefined) tests.push(test)
  }
  return {
    file: options.file,
    playbook,
    called,
    playbookFile: String(reference.value.kind === 'scalar' ? reference.value.value : ''),
    tests,
    unreachable: readUnreachable(context, fields.get('unreachable')),
  }
}

function readUnreachable(context: TestContext, entry: Entry | undefined): PlaybookTests['unreachable'] {
  if (entry === undefined) return []
  const { problems, playbook, source } = context
  const known = branchesOf(playbook).map(({ key }) => key)
  return readTestList(problems, entry).flatMap((value) => {
    const key = readTestString(problems, { ...entry, value })
    if (key === undefined) return []
    if (known.includes(key)) return [{ value: key, place: () => testPlaceOf(source, value) }]
    problems.add('E107', `${quote(key)} is not a branch of the playbook`, value, () => suggest(key, known))
    return []
  })
}

function* readPlaybook(
  { problems }: OpenSource,
  entry: Entry,
  { catalogue, loadPlaybook, checked }: ParseTestsOptions,
): Sliced<CheckedPlaybook> {
  const none = { playbook: undefined, called: new Map() }
  const reference = readText(problems, entry)
  if (reference === undefined) return none
  const known = checked?.get(reference)
  if (known !== undefined) return known
  const source = loadPlaybook(reference)
  if (source === undefined) {
    const isNamed = loadPlaybook(`${reference}.yaml`) !== undefined
    const hint = isNamed ? `did you mean ${reference}.yaml?` : 'write the path relative to this file'
    problems.add('E603', `there is no playbook ${quote(reference)}`, entry.value, hint)
    return none
  }
  const beside = playbooksBeside(reference, loadPlaybook)
  const { playbook, called, problems: found } = yield* parseWithCalledInSlices(source, { catalogue, beside })
  const errors = found.filter((problem) => problem.severity === 'error')
  if (playbook === undefined) {
    const [first] = errors
    const what = `${errors.length} ${errors.length === 1 ? 'problem' : 'problems'}`
    const message = `the playbook ${quote(reference)} has ${what}: ${first?.line}:${first?.column} ${first?.message}`
    const hint = errors.length === 1 ? first?.hint : undefined
    problems.add('E603', message, entry.value, hint ?? '`tocsin validate` shows each at its place')
  } else checked?.set(reference, { playbook, called })
  return { playbook, called }
}

/** Loads called playbooks from the folder of the caller, by name. */
export function playbooksBeside(reference: string, load: ParseTestsOptions['loadPlaybook']): PlaybookSources {
  const expectedAt = (name: string) => `${reference.replace(/[^/]*$/, '')}${name}.yaml`
  const textOf = (source: string | Uint8Array | undefined) =>
    source instanceof Uint8Array ? new TextDecoder().decode(source) : source
  return { keys: () => [], get: (name) => textOf(load(expectedAt(name))), expectedAt }
}

interface GivenWorld {
  readonly given: GivenFixtures | undefined
  /** Places of the inputs and of the trigger. */
  readonly inputs: Entry | undefined
  readonly trigger: Entry | undefined
  readonly mocks: Mocks
}

function readWorld(context: TestContext, fields: Fields): GivenWorld {
  const fixtures = fields.get('fixtures')
  const own = fixtures && readFields(context.problems, fixtures.value, testGrammar.fixtures)
  const mocks = fields.get('mocks')
  return {
    given: own && readFixtures(context, own),
    inputs: own?.get('inputs'),
    trigger: own?.get('trigger'),
    mocks: mocks ? readMocks(context, mocks) : new Map(),
  }
}

function readTest(
  context: TestContext,
  node: Node,
  world: GivenWorld,
  seen: Set<string>,
): PlaybookTest | undefined {
  const { problems, playbook } = context
  const fields = readFields(problems, node, testGrammar.test)
  if (fields === undefined) return undefined
  const entry = fields.get('name')
  const name = entry && readText(problems, entry)
  if (name !== undefined && seen.has(name))
    problems.add('E604', `another test is named ${quote(name)}`, entry!.value)
  if (name !== undefined) seen.add(name)
  const mocks = fields.get('mocks')
  const expect = fields.get('expect')
  const given = [world.given ?? nothingGiven, readFixtures(context, fields)]
  const own = mocks ? readMocks(context, mocks) : new Map<string, never>()
  const expectations = expect && readExpect(context, expect)
  if (name === undefined || expectations === undefined) return undefined
  const inputs = fields.get('inputs') ?? world.inputs ?? entry!
  return {
    name,
    place: testPlaceOf(context.source, entry!.value),
    fixtures: checkedTrigger(
      context,
      withInputs(context, resolveFixtures(playbook, given), inputs),
      fields.get('trigger') ?? world.trigger ?? entry!,
    ),
    mocks: new Map([...world.mocks, ...own]),
    expect: expectations,
  }
}

/** Reports the parts of a trigger that do not fit its schema. */
function checkedTrigger({ problems, playbook }: TestContext, fixtures: Fixtures, entry: Entry): Fixtures {
  const { trigger } = fixtures
  if (trigger === undefined) return fixtures
  for (const { pointer, message } of compileSchema(schemaFor(playbook, trigger.kind)).problems(trigger)) {
    const parts = partsOf(pointer)
    const place = ['trigger', ...parts].join('.')
    problems.add('E107', `${place} ${message}`, nodeAt(entry.value, parts))
  }
  return fixtures
}

/** Adds the playbook's defaults to the inputs, and reports invalid ones. */
function withInputs({ problems, playbook }: TestContext, fixtures: Fixtures, entry: Entry): Fixtures {
  try {
    return { ...fixtures, inputs: resolveInputs(playbook, fixtures.inputs) }
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error
    for (const { pointer, message } of error.errors) {
      const parts = partsOf(pointer)
      problems.add('E107', `the input ${parts.join('.')} ${message}`, nodeAt(entry.value, parts), error.hint)
    }
    return fixtures
  }
}
