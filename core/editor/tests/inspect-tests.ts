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

/** A file of tests as an editor sees it, with the playbook that it is about as far as that can be read. */
export interface TestsInspection extends TestedPlaybook {
  /** Undefined where nothing can be made of the text. */
  readonly root: Node | undefined
  readonly source: SourceText
  /** What `tocsin test` refuses or warns of. */
  readonly problems: readonly Problem[]
}

export interface TestedPlaybook {
  readonly playbook: Playbook | undefined
  readonly called: CalledByName
  readonly named: readonly NamedStep[]
}

export interface TestsSurroundings {
  /** Without it nothing is checked: every skill would be unknown. */
  readonly catalogue: Catalogue | undefined
  /** A playbook by its path from the folder of the tests. */
  readonly loadPlaybook: ParseTestsOptions['loadPlaybook']
}

export function inspectTests(text: string, surroundings: TestsSurroundings): TestsInspection {
  const { catalogue, loadPlaybook } = surroundings
  const problems = catalogue === undefined ? [] : parseTests(text, { catalogue, loadPlaybook }).problems
  const { root, source } = openSource(text, undefined, 'tolerant')
  return { root, source, problems, ...testedPlaybook(root, surroundings) }
}

const nothing: TestedPlaybook = { playbook: undefined, called: new Map(), named: [] }

/** What `playbook` names. */
export function testedPlaybook(
  root: Node | undefined,
  { catalogue, loadPlaybook }: TestsSurroundings,
): TestedPlaybook {
  const reference = playbookReference(root)
  const source = reference === undefined ? undefined : loadPlaybook(reference)
  if (reference === undefined || source === undefined || catalogue === undefined) return nothing
  const beside = playbooksBeside(reference, loadPlaybook)
  const { playbook, called } = parseWithCalled(source, { catalogue, beside })
  return playbook === undefined ? nothing : { playbook, called, named: namedSteps(playbook, called) }
}

/** The path of the playbook, from the folder of the tests. */
export function playbookReference(root: Node | undefined): string | undefined {
  const value = root?.kind === 'map' ? root.entries.find(({ name }) => name === 'playbook')?.value : undefined
  return value?.kind === 'scalar' && typeof value.value === 'string' ? value.value : undefined
}
