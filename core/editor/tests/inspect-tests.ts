import { readFile } from 'node:fs/promises'
import type { JsonSchema } from '../../plugin/index.ts'
import type { Node } from '../../playbook/yaml/document.ts'
import { openSource } from '../../playbook/yaml/open-source.ts'
import { parseWithCalled } from '../../playbook/read/parse-with-called.ts'
import type { Playbook } from '../../playbook/language/playbook.ts'
import type { Problem } from '../../playbook/language/problem.ts'
import type { SourceText } from '../../playbook/language/source-text.ts'
import { namedSteps, type NamedStep } from '../../playbook-test/read/named-steps.ts'
import { parseTests, playbooksBeside, type ParseTestsOptions } from '../../playbook-test/read/parse.ts'
import type { CalledByName } from '../../playbook-test/read/playbook-test.ts'
import type { Catalogue } from '../../registry/catalogue.ts'

/** A test file in an editor, with the playbook under test if it can be parsed. */
export interface TestsInspection extends PlaybookUnderTest {
  /** Undefined if the text cannot be parsed. */
  readonly root: Node | undefined
  readonly source: SourceText
  /** The errors and warnings of `tocsin test`. */
  readonly problems: readonly Problem[]
}

export interface PlaybookUnderTest {
  readonly playbook: Playbook | undefined
  readonly called: CalledByName
  readonly named: readonly NamedStep[]
}

export interface TestsSurroundings {
  /** Undefined: nothing is checked, because every skill would be unknown. */
  readonly catalogue: Catalogue | undefined
  /** Loads a playbook by its path relative to the test file's folder. */
  readonly loadPlaybook: ParseTestsOptions['loadPlaybook']
}

export function inspectTests(text: string, surroundings: TestsSurroundings): TestsInspection {
  const { catalogue, loadPlaybook } = surroundings
  const problems = catalogue === undefined ? [] : parseTests(text, { catalogue, loadPlaybook }).problems
  const { root, source } = openSource(text, undefined, 'tolerant')
  return { root, source, problems, ...testedPlaybook(root, surroundings) }
}

const nothing: PlaybookUnderTest = { playbook: undefined, called: new Map(), named: [] }

/** The playbook under test. */
export function testedPlaybook(
  root: Node | undefined,
  { catalogue, loadPlaybook }: TestsSurroundings,
): PlaybookUnderTest {
  const reference = playbookReference(root)
  const source = reference === undefined ? undefined : loadPlaybook(reference)
  if (reference === undefined || source === undefined || catalogue === undefined) return nothing
  const beside = playbooksBeside(reference, loadPlaybook)
  const { playbook, called } = parseWithCalled(source, { catalogue, beside })
  return playbook === undefined ? nothing : { playbook, called, named: namedSteps(playbook, called) }
}

/** The path of the playbook, relative to the test file's folder. */
export function playbookReference(root: Node | undefined): string | undefined {
  const value = root?.kind === 'map' ? root.entries.find(({ name }) => name === 'playbook')?.value : undefined
  return value?.kind === 'scalar' && typeof value.value === 'string' ? value.value : undefined
}

/** The content of `schemas/playbook-test.schema.json`. */
export async function readTestsSchema(): Promise<JsonSchema> {
  const file = new URL('../../../schemas/playbook-test.schema.json', import.meta.url)
  return JSON.parse(await readFile(file, 'utf8')) as JsonSchema
}
