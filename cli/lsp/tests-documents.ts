import { dirname, join, relative } from 'node:path'
import type { TestsGuide } from '../../core/editor/tests/complete-tests.ts'
import { inspectTests, type TestsInspection } from '../../core/editor/tests/inspect-tests.ts'
import type { JsonSchema } from '../../core/plugin/index.ts'
import type { Catalogue } from '../../core/registry/catalogue.ts'
import { playbooksIn } from '../playbooks-in.ts'

/** Whether the document is a test file of a playbook; other projects use this file name too. */
export const isTests = (uri: string, text: string): boolean =>
  /\.test\.ya?ml$/.test(uri) && (/^["']?(?:playbook|tests)["']? *:/m.test(text) || text.trim() === '')

/** The context of a test file. */
export function testsGuide(
  path: string | undefined,
  read: (path: string) => string | undefined,
  catalogue: Catalogue | undefined,
  schema: JsonSchema,
): TestsGuide {
  const folder = path === undefined ? undefined : dirname(path)
  return {
    schema,
    catalogue,
    loadPlaybook: (reference) => (folder === undefined ? undefined : read(join(folder, reference))),
    playbookFiles: () =>
      folder === undefined
        ? []
        : Array.from(playbooksIn(folder).keys(), (name) => relative(folder, join(folder, `${name}.yaml`))),
  }
}

/** A test file, open or not. */
export const inspectTestsAt = (
  path: string | undefined,
  text: string,
  read: (path: string) => string | undefined,
  catalogue: Catalogue | undefined,
): TestsInspection => inspectTests(text, testsGuide(path, read, catalogue, {}))
