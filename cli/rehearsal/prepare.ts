import { dirname } from 'node:path'
import { NotFoundError, ValidationError } from '../../core/errors/errors.ts'
import { compileSchema } from '../../core/schema/index.ts'
import { eventKindsOf, schemaFor } from '../../core/trigger/example-trigger.ts'
import { formatProblem } from '../../core/errors/source-frame.ts'
import { parseWorld } from '../../core/playbook-test/read/parse.ts'
import { either, startsFor } from '../../core/playbook-test/run/rehearse.ts'
import type { CalledByName, Fixtures, Mocks } from '../../core/playbook-test/read/playbook-test.ts'
import { parseWithCalled } from '../../core/playbook/read/parse-with-called.ts'
import type { Playbook } from '../../core/playbook/language/playbook.ts'
import type { Problem } from '../../core/playbook/language/problem.ts'
import { dryRunChoices } from '../../core/dry-run/choices.ts'
import { resolveInputs } from '../../core/playbook/template/inputs.ts'
import type { Catalogue } from '../../core/registry/catalogue.ts'
import { Exit, exitCodes } from '../exit-codes.ts'
import { installedCatalogue } from '../installed-catalogue.ts'
import { paintError } from '../output/paint.ts'
import { printableLines } from '../output/printable.ts'
import { playbooksIn } from '../playbooks-in.ts'
import { readGiven, readGivenJson } from '../read-given.ts'
import { asInputs, typedChoice, type PlaybookRunOptions } from './options.ts'
import type { GivenAlert } from '../../core/playbook-test/read/read-fixtures.ts'

interface Surroundings {
  /** A file with `fixtures` and `mocks`, such as a test file. */
  readonly world?: string | undefined
  readonly organization?: Fixtures['organization'] | undefined
}

interface Prepared {
  readonly catalogue: Catalogue
  readonly playbook: Playbook
  readonly called: CalledByName
  readonly fixtures: Fixtures
  readonly mocks: Mocks
  readonly choices: ReturnType<typeof dryRunChoices>
}

/**
 * Reads a playbook with its alert, fixtures and mocks. Prints errors with their positions and ends the
 * command; prints a note for a possible mistake, such as an alert that would not start the playbook.
 */
export async function prepare(
  file: string,
  options: PlaybookRunOptions,
  { world: worldFile, organization }: Surroundings,
): Promise<Prepared> {
  const catalogue = await installedCatalogue()
  const source = await readGiven(file)
  const beside = playbooksIn(dirname(file))
  const { playbook, called, problems } = parseWithCalled(source, { file, catalogue, beside })
  if (playbook === undefined) return refuse(source, problems)
  const { world, alertIsGiven } = await readWorld(worldFile, playbook, called, catalogue)
  if (
    playbook.alertTrigger !== undefined &&
    options.alert === undefined &&
    options.trigger === undefined &&
    !alertIsGiven
  ) {
    const { types } = playbook.alertTrigger
    const wanted = `investigates alerts${types === undefined ? '' : ` of type ${either(types)}`}`
    const message = `'${playbook.name}' ${wanted}, but no alert is given`
    throw new NotFoundError('alert_missing', message, {
      hint: 'add --alert <file.json>, or - for standard input',
    })
  }
  if (options.alert !== undefined) requireAlertTrigger(playbook)
  const alert = options.alert === undefined ? undefined : await readAlert(options.alert)
  const fixtures = world.fixtures({
    nowMs: alertIsGiven ? undefined : Date.now(),
    ...(alert && { alert }),
    ...(options.trigger !== undefined && { trigger: await readTrigger(playbook, options.trigger) }),
    ...(options.input && { inputs: asInputs(options.input, playbook.inputs) }),
    ...(organization && { organization }),
  })
  const starts = startsFor(playbook, fixtures)
  requireTrigger(playbook, fixtures)
  if (starts !== true)
    process.stderr.write(
      `${paintError.warn('note')}  this ${fixtures.trigger === undefined ? 'alert' : 'event'} would not start the playbook: ${printableLines(starts)}\n`,
    )
  const inputs = resolveInputs(playbook, fixtures.inputs)
  return {
    catalogue,
    playbook,
    fixtures: { ...fixtures, inputs },
    mocks: world.mocks,
    called,
    choices: dryRunChoices(playbook, called, options.answer ?? {}, typedChoice),
  }
}

function requireAlertTrigger(playbook: Playbook): void {
  if (playbook.alertTrigger !== undefined) return
  const hasEvents = eventKindsOf(playbook).length > 0
  throw new ValidationError('alert_invalid', `no alert starts '${playbook.name}', but --alert is given`, [], {
    hint: hasEvents ? 'give the event with --trigger <file.json>' : 'leave --alert out',
  })
}

async function readTrigger(playbook: Playbook, file: string): Promise<Readonly<Record<string, unknown>>> {
  if (eventKindsOf(playbook).length === 0) {
    const message = `no event starts '${playbook.name}', but --trigger is given`
    throw new ValidationError('trigger_invalid', message, [], { hint: 'leave --trigger out' })
  }
  const { value } = await readGivenJson(file)
  if (isObject(value)) return value
  throw new ValidationError('trigger_invalid', `'${file}' is not a JSON object`, [])
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** @throws ValidationError `trigger_invalid` */
function requireTrigger(playbook: Playbook, { trigger }: Fixtures): void {
  if (trigger === undefined) return
  const problems = compileSchema(schemaFor(playbook, trigger.kind)).problems(trigger)
  if (problems.length === 0) return
  const [{ pointer, message } = { pointer: '', message: '' }] = problems
  const text = `the event does not fit: trigger${pointer.replaceAll('/', '.')} ${message}`
  throw new ValidationError('trigger_invalid', text, problems, {
    hint: 'give its fields with --trigger <file.json>',
  })
}

async function readWorld(
  file: string | undefined,
  playbook: Playbook,
  called: CalledByName,
  catalogue: Catalogue,
) {
  const source = file === undefined ? new TextEncoder().encode('{}') : await readGiven(file)
  const { world, problems } = parseWorld(source, playbook, { file, catalogue, called })
  if (world === undefined) return refuse(source, problems)
  return { world, alertIsGiven: world.hasAlert }
}

function refuse(source: Uint8Array, problems: readonly Problem[]): never {
  const text = new TextDecoder().decode(source)
  for (const problem of problems.filter(({ severity }) => severity === 'error'))
    process.stderr.write(`${formatProblem(problem, text)}\n\n`)
  throw new Exit(exitCodes.failed)
}

/**
 * An alert from a JSON file, or from standard input for `-`: the body of POST /alerts or the response of GET
 * /alerts/<id> (both have `alert_content`), or the content itself.
 */
async function readAlert(file: string): Promise<GivenAlert> {
  const { text, value: given } = await readGivenJson(file)
  if (typeof given !== 'object' || given === null || !Object.hasOwn(given, 'alert_content'))
    return { body: { content: text.trimEnd() } }
  const alert = given as Readonly<Record<string, unknown>>
  const own = (name: string): unknown => (Object.hasOwn(alert, name) ? alert[name] : undefined)
  const string = (name: string) => (typeof own(name) === 'string' ? (own(name) as string) : undefined)
  const time = own('created_at_source')
  return {
    type: string('alert_type'),
    provider: string('alert_provider'),
    body: { content: string('alert_content') ?? '' },
    id: string('alert_id'),
    uuid: string('alert_uuid'),
    createdAt: typeof own('created_at') === 'number' ? (own('created_at') as number) : undefined,
    createdAtSource: typeof time === 'number' || typeof time === 'bigint' ? time : undefined,
  }
}
