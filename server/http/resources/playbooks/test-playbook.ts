import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import { createDryRunBudget } from '../../../../core/dry-run/dry-run-budget.ts'
import { coverageOf } from '../../../../core/playbook-test/coverage/coverage.ts'
import { loadTests } from '../../../../core/playbook-test/read/load-tests.ts'
import { runTests, type TestResult } from '../../../../core/playbook-test/run/run-tests.ts'
import type { SourceProblem } from '../../../../core/errors/source-frame.ts'
import type { JournalEntry } from '../../../../core/domain/run.ts'
import type { OrganizationScope } from '../../../../core/ports/common.ts'
import type { Catalogue } from '../../../../core/registry/catalogue.ts'
import { defineRoute } from '../../routing/route.ts'
import { requireDraft } from '../drafts/require-draft.ts'
import { flag, objectSchema, text, textOrNull } from '../system/page.ts'
import { requirePlaybook } from './playbook-view.ts'

const count = { type: 'integer', minimum: 0 } as const
const line = { type: 'integer', minimum: 1 } as const

const failureSchema = objectSchema({ message: text, hint: textOrNull, line })

/** Answer of `POST playbooks/{playbook}/test`. */
export const apiTestResultSchema = objectSchema({
  file: { ...textOrNull, description: 'Name of the test file; null if there is none.' },
  problems: {
    type: 'array',
    items: failureSchema,
    description: 'Errors in the test file; if there are any, no test ran.',
  },
  tests: {
    type: 'array',
    items: objectSchema({
      name: text,
      line: { ...line, description: 'In the test file.' },
      status: { ...text, description: 'Of the run.' },
      failures: { type: 'array', items: failureSchema, description: 'Empty: the test passed.' },
    }),
  },
  coverage: {
    anyOf: [
      { type: 'null' },
      objectSchema({
        taken: count,
        total: count,
        missing: {
          type: 'array',
          items: objectSchema({ label: text, line: { ...line, description: 'In the playbook.' } }),
        },
      }),
    ],
    description: 'Branch coverage of the tests; null if none ran.',
  },
})

/** Like `tocsin test --coverage`, for one playbook. */
export const testPlaybook = defineRoute({
  method: 'POST',
  path: '/playbooks/{playbook}/test',
  access: 'playbooks:test',
  summary:
    'Runs the tests beside a live playbook, with mocks for all skills: calls nothing and stores nothing.',
  answer: apiTestResultSchema,
  query: {
    draft: { ...flag, description: '`true`: tests the draft of the playbook. Default: the live version.' },
  },
  async handle({ params, query, caller, gone }, services) {
    const { stores, playbooks, catalogue, directory, dryRunGate } = services
    const { scope } = caller
    const draft = query.draft === 'true' ? await requireDraft(params.playbook, caller, services) : undefined
    const { name } = draft ?? (await requirePlaybook(stores.playbooks, scope, params.playbook))
    // A generated playbook may have the name of an authored one of another organization.
    const seen = await directory.seen(scope, [...playbooks.authored(), ...playbooks.shadows()])
    const own = seen.find((playbook) => playbook.name === name)
    const file = own && playbooks.fileOf(name)?.replace(/\.ya?ml$/, '.test.yaml')
    if (file === undefined || !existsSync(file))
      return { body: { file: null, problems: [], tests: [], coverage: null } }
    const body = await dryRunGate.through(placeOf(scope), gone(), (signal) =>
      runBeside(file, catalogue, { signal, edited: draft?.source }),
    )
    return { body }
  },
})

/**
 * Tests belong to no organization: they count towards one of the caller's, or towards a shared one for keys
 * of all organizations.
 */
const placeOf = (scope: OrganizationScope): string => (scope === 'all' ? scope : (scope[0] ?? 'none'))

interface RunOptions {
  readonly signal: AbortSignal
  /** Tested instead of the live version. */
  readonly edited: string | undefined
}

async function runBeside(
  file: string,
  catalogue: Catalogue,
  { signal, edited }: RunOptions,
): Promise<unknown> {
  const { tests, problems } = await loadTests(file, catalogue, edited)
  const known = { file: basename(file), problems: problems.map(failureView) }
  if (tests === undefined) return { ...known, tests: [], coverage: null }
  const budget = createDryRunBudget('the tests')
  const bounds = {
    onEnd: (entry: JournalEntry) => budget.ended(entry),
    signal: AbortSignal.any([budget.signal, signal]),
  }
  const result = await runTests(tests, { catalogue, bounds })
  const unreachable = new Set(tests.unreachable.map(({ value }) => value))
  const { taken, total, missing } = coverageOf(tests.playbook, result.taken, unreachable)
  const shown = missing.map(({ label, place }) => ({ label, line: place.line }))
  return { ...known, tests: result.tests.map(testView), coverage: { taken, total, missing: shown } }
}

const failureView = ({ message, hint, line: at }: Pick<SourceProblem, 'message' | 'hint' | 'line'>) => ({
  message,
  hint: hint ?? null,
  line: at,
})

const testView = ({ name, place, status, failures }: TestResult) => ({
  name,
  line: place.line,
  status: status ?? 'stopped',
  failures: failures.map(failureView),
})
