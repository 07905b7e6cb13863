import { dirname } from 'node:path'
import { NotFoundError } from '../../core/errors/errors.ts'
import { formatProblem } from '../../core/errors/source-frame.ts'
import { parseWorld } from '../../core/playbook-test/read/parse.ts'
import { startsFor } from '../../core/playbook-test/run/rehearse.ts'
import type { CalledByName, Fixtures, Mocks } from '../../core/playbook-test/read/playbook-test.ts'
import { parseWithCalled } from '../../core/playbook/read/parse-with-called.ts'
import type { Playbook } from '../../core/playbook/language/playbook.ts'
import type { Problem } from '../../core/playbook/language/problem.ts'
import { resolveInputs } from '../../core/playbook/template/inputs.ts'
import type { Catalogue } from '../../core/registry/catalogue.ts'
import { Exit, exitCodes } from '../exit-codes.ts'
import { installedCatalogue } from '../installed-catalogue.ts'
import { paintError } from '../output/paint.ts'
import { printableLines } from '../output/printable.ts'
import { playbooksIn } from '../playbooks-in.ts'
import { readGiven } from '../read-given.ts'
import { asInputs, type Texts } from './key-value.ts'
import { readAlert } from './read-alert.ts'

export interface Given {
  readonly playbook: string
  readonly alert: string | undefined
  readonly inputs: Texts | undefined
  /** A file with `fixtures` and `mocks`; a file of tests is one. */
  readonly world: string | undefined
  readonly organization: Fixtures['organization'] | undefined
}

export interface Prepared {
  readonly catalogue: Catalogue
  readonly playbook: Playbook
  readonly called: CalledByName
  readonly fixtures: Fixtures
  readonly mocks: Mocks
}

/**
 * Reads a playbook and the world it shall run in. Mistakes are shown at their places on standard error and end the command; what
 * may be meant, such as an alert that would not start the playbook, is said and goes on.
 */
export async function prepare(given: Given): Promise<Prepared> {
  const catalogue = await installedCatalogue()
  const source = await readGiven(given.playbook)
  const beside = playbooksIn(dirname(given.playbook))
  const { playbook, called, problems } = parseWithCalled(source, { file: given.playbook, catalogue, beside })
  if (playbook === undefined) return refuse(source, problems)
  const { world, alertIsGiven } = await readWorld(given, playbook, called, catalogue)
  if (playbook.alertTrigger !== undefined && given.alert === undefined && !alertIsGiven) {
    const message = `'${playbook.name}' investigates alerts of type '${playbook.alertTrigger.type}', and none is given`
    throw new NotFoundError('alert_missing', message, {
      hint: 'add --alert <file.json>, or - for standard input',
    })
  }
  const alert = given.alert === undefined ? undefined : await readAlert(given.alert)
  const fixtures = world.fixtures({
    nowMs: alertIsGiven ? undefined : Date.now(),
    ...(alert && { alert }),
    ...(given.inputs && { inputs: asInputs(given.inputs, playbook.inputs) }),
    ...(given.organization && { organization: given.organization }),
  })
  const starts = startsFor(playbook, fixtures)
  if (starts !== true)
    process.stderr.write(
      `${paintError.warn('note')}  this alert would not start the playbook: ${printableLines(starts)}\n`,
    )
  const inputs = resolveInputs(playbook, fixtures.inputs)
  return {
    catalogue,
    playbook,
    fixtures: { ...fixtures, inputs },
    mocks: world.mocks,
    called,
  }
}

async function readWorld(given: Given, playbook: Playbook, called: CalledByName, catalogue: Catalogue) {
  const file = given.world
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
