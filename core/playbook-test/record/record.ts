import type { JournalEntry } from '../../domain/run.ts'
import { caseFieldNames } from '../../domain/case.ts'
import { parseJson, stringifyJson } from '../../common/json.ts'
import { writeYaml } from '../../playbook/yaml/format.ts'
import { traceOf } from '../coverage/trace.ts'
import { placedSteps } from '../read/placed-steps.ts'
import { recordedCallsOf, fitting, mocksOf, ownSteps, type MockStyle } from './recorded-mocks.ts'
import {
  checkedRun,
  withoutUndefined,
  type RecordedRun,
  type RecordedStep,
  type RecordOptions,
} from './recorded-run.ts'
import { recordedState } from './recorded-state.ts'

/**
 * Writes a test file with one test: the replies of other systems become mocks, the results of the run become
 * expectations.
 *
 * @throws ValidationError `run_unusable` unless the run has ended and is complete
 */
export function recordTests(given: unknown, options: RecordOptions): string {
  return writeTests(checkedRun(given), options, { byPlace: false, local: new Set() })
}

export type Expected = Readonly<Record<string, unknown>>

/** @param expected the expectations with comments; default: the run's full result */
export function writeTests(
  run: RecordedRun,
  options: RecordOptions,
  style: MockStyle,
  expected: { readonly expect: Expected; readonly notes: readonly string[] } = {
    expect: expectOf(run, options),
    notes: [],
  },
): string {
  const content = {
    playbook: options.playbookFile,
    fixtures: {
      ...(run.started_at === null ? {} : { now: new Date(run.started_at).toISOString() }),
      run: { id: run.run_uuid, url: urlIn(run) },
      organization: { code: run.organization_code, name: run.organization_code },
      case: typeof run.case_id === 'string' ? { id: run.case_id } : undefined,
      alert: run.alert_id === null && options.alert === undefined ? undefined : alertOf(options.alert),
      trigger: run.trigger ?? undefined,
      inputs: inputsOf(run, options),
      state: recordedState(run, options.playbook),
    },
    mocks: mocksOf(run, options.playbook, options.catalogue, style),
    tests: [{ name: `as in run ${run.run_uuid}`, expect: expected.expect }],
  }
  const said = [...notes(run, options), ...expected.notes]
  return [...said.map((note) => `# ${note}`), writeYaml(withoutUndefined(content))].join('\n')
}

/** Sensitive inputs are redacted; those that are not strings get a placeholder. */
function inputsOf({ inputs = {} }: RecordedRun, { playbook }: RecordOptions): Expected {
  return Object.fromEntries(
    Object.entries(inputs).map(([name, value]) => {
      const declared = playbook?.inputs.get(name)
      return [name, declared === undefined ? value : fitting(value, declared.schema)]
    }),
  )
}

/** `run.url` if a step received it: the server sets it, the run does not contain it. */
function urlIn({ run_uuid: uuid, steps, output }: RecordedRun): string | undefined {
  const pattern = new RegExp(`(?:https?://[^\\s"'<>()|\\\\]*)?/runs/${uuid}`)
  const text = stringifyJson([steps.map(({ input, output: gave }) => [input, gave]), output])
  return pattern.exec(text)?.[0]
}

function notes(run: RecordedRun, { alert, playbook }: RecordOptions): readonly string[] {
  return [
    `Recorded from run ${run.run_uuid}. Review it before you keep it: it contains the answers of other systems.`,
    ...(alert === undefined && run.alert_id !== null
      ? ['The run does not contain its alert: write it, or record with --alert.']
      : []),
    ...(playbook !== undefined && playbook.hash !== run.playbook_hash
      ? ['The playbook has changed since this run.']
      : []),
  ]
}

interface AlertView {
  readonly alert_content?: unknown
  readonly alert_provider?: unknown
  readonly alert_type?: unknown
  readonly alert_id?: unknown
  readonly alert_uuid?: unknown
  readonly created_at?: unknown
  readonly created_at_source?: unknown
}

function alertOf(given: unknown): unknown {
  if (typeof given !== 'object' || given === null) return { data: {} }
  const alert = given as AlertView
  return {
    type: alert.alert_type ?? undefined,
    provider: alert.alert_provider,
    id: alert.alert_id,
    uuid: alert.alert_uuid,
    created_at: alert.created_at,
    created_at_source: alert.created_at_source ?? undefined,
    ...bodyOf(alert.alert_content),
  }
}

/** As data if that converts to the same text. */
function bodyOf(content: unknown): { readonly data: unknown } | { readonly content: unknown } {
  if (typeof content !== 'string') return { data: {} }
  try {
    const data = parseJson(content)
    if (typeof data === 'object' && stringifyJson(data) === content) return { data }
  } catch {
    // Not JSON.
  }
  return { content }
}

export function expectOf(run: RecordedRun, { playbook, catalogue }: RecordOptions): Expected {
  const entries = run.steps.map((step) => ({ path: step.path, state: step.state }) as JournalEntry)
  const ids = new Set(playbook && placedSteps(playbook).map(({ step }) => step.id))
  const path = playbook && traceOf(playbook, entries).map(({ name }) => name)
  const skipped = skippedIn(run, ownSteps(playbook))
  const calls = writesOf(run, catalogue).map(({ kind, input }) => ({ skill: kind, with: input }))
  const changed = caseOf(run)
  return {
    status: run.status,
    path: path?.filter((name) => ids.has(name)),
    skipped: skipped.length === 0 ? undefined : skipped,
    calls: calls.length === 0 ? undefined : calls,
    case: Object.keys(changed).length === 0 ? undefined : changed,
    outputs: run.output ?? undefined,
    error: run.error === null ? undefined : { code: run.error.code },
  }
}

/** Ids of steps that did not run in any item or round. */
function skippedIn({ steps }: RecordedRun, isOwn: (step: RecordedStep) => boolean): readonly string[] {
  const named = steps.filter(isOwn)
  const ran = new Set(named.filter(({ state }) => state !== 'skipped').map(({ step_id: id }) => id))
  const skipped = named.filter(({ state }) => state === 'skipped').map(({ step_id: id }) => id!)
  return [...new Set(skipped)].filter((id) => !ran.has(id))
}

export const writesOf = (run: RecordedRun, catalogue: RecordOptions['catalogue']): readonly RecordedStep[] =>
  recordedCallsOf(run, catalogue).filter(({ kind }) => catalogue.skill(kind)?.skill.effect === 'write')

const caseFields: readonly string[] = Object.values(caseFieldNames)

/** The changes that the run makes to its own case. */
function caseOf(run: RecordedRun): Readonly<Record<string, unknown>> {
  const changes = run.steps.filter(({ kind, state }) => kind === 'case.update' && state === 'completed')
  const merged = Object.assign({}, ...changes.map(({ input }) => input)) as Readonly<Record<string, unknown>>
  return Object.fromEntries(Object.entries(merged).filter(([name]) => caseFields.includes(name)))
}
