import type { Command } from 'commander'
import type { JournalEntry } from '../../../core/domain/run.ts'
import { skillsOf } from '../../../core/engine/skills/skill-caller.ts'
import { createInterfaceCalls } from '../../../core/interface/interface-calls.ts'
import { stateInMemory } from '../../../core/state/given-state.ts'
import { createMemoryJournal } from '../../../core/playbook-test/run/memory-journal.ts'
import {
  createWorld,
  noConnections,
  resultOf,
  startProcess,
} from '../../../core/playbook-test/run/run-test.ts'
import { rehearse } from '../../../core/playbook-test/run/rehearse.ts'
import { testCases } from '../../../core/plugin/testing/index.ts'
import { systemClock } from '../../../server/clock.ts'
import { Exit, exitCodes } from '../../exit-codes.ts'
import { paint } from '../../output/paint.ts'
import { printableLines } from '../../output/printable.ts'
import { openLiveSkills } from '../../rehearsal/connections.ts'
import { rehearsalCommand, type PlaybookRunOptions } from '../../rehearsal/options.ts'
import { peopleHere } from '../../rehearsal/people.ts'
import { prepare } from '../../rehearsal/prepare.ts'
import { endLines, isShown, stepLine } from '../../rehearsal/show.ts'
import { stopSignal } from '../../stop-signal.ts'

interface Options extends PlaybookRunOptions {
  readonly mocks?: string
}

export function runCommand(): Command {
  return rehearsalCommand('run', [
    '--mocks <file>',
    'file with fixtures and mocks, e.g. a test file: sends nothing, and waits take no time',
  ])
    .description('run a playbook in this process, with mocks or with the connections of the data directory')
    .addHelpText(
      'after',
      `
Without --mocks, all skill calls are real, including writes; use \`tocsin dry-run\` to see them first. The case and changes of
state are kept in memory, and the case is shown at the end; nothing is written to the data directory. Without a data directory, skills that need a connection fail.
Ctrl-C cancels the run. Answer questions with --answer or in the terminal. No messages are sent to the people that a playbook
asks, because only a server can receive their answers.

Examples:
  tocsin run playbooks/brute-force.yaml --mocks playbooks/brute-force.test.yaml
  tocsin run playbooks/brute-force.yaml --alert alert.json --organization main

Exits with 0 if the run completes.`,
    )
    .action((playbook: string, options: Options) =>
      options.mocks === undefined ? runLive(playbook, options) : runMocked(playbook, options.mocks, options),
    )
}

function print(entry: JournalEntry): void {
  if (isShown(entry)) console.log(stepLine(entry))
}

async function runMocked(file: string, mocks: string, options: Options): Promise<void> {
  const { catalogue, ...world } = await prepare(file, options, { world: mocks })
  const { playbook } = world
  const made = createWorld(world, catalogue, print)
  const outcome = await startProcess(made, made.journal.store)
  const run = resultOf(made, outcome)
  for (const { message, hint } of run.unmocked)
    console.log(`\n${paint.bad('not mocked')} ${printableLines(message)}\n  ${printableLines(hint)}`)
  console.log(endLines(playbook, outcome, run.durationMs, run.case, run.notes))
  if (outcome.status !== 'completed' || run.unmocked.length > 0) throw new Exit(exitCodes.failed)
}

async function runLive(file: string, options: Options): Promise<void> {
  const live = await openLiveSkills({ organization: options.organization })
  try {
    const { code, name, uuid } = live.organization
    const organization = live.isOffline ? undefined : { code, name }
    const { catalogue, playbook, called, fixtures, choices } = await prepare(file, options, { organization })
    const cases = testCases(code, playbook.name)
    const cancel = new AbortController()
    const people = peopleHere({
      playbook,
      called,
      organizationUuid: uuid,
      organizationCode: code,
      choices,
      catalogue,
      cancel: cancel.signal,
    })
    void stopSignal().then(() => cancel.abort())
    const state = stateInMemory({
      playbook,
      fixtures,
      clock: systemClock,
      reader: live.state,
      organizationUuid: uuid,
    })
    const journal = createMemoryJournal({ onEnd: print, clock: systemClock, state })
    const outcome = await rehearse({
      playbook,
      called,
      fixtures,
      skills: skillsOf(
        catalogue,
        people.withoutAsking(live.caller(catalogue, cases)),
        createInterfaceCalls(catalogue, live.connections ?? noConnections),
      ),
      journal: journal.store,
      clock: systemClock,
      log: live.log,
      caseId: `${code}-1`,
      organizationUuid: uuid,
      cancel: cancel.signal,
      checkpoints: people.checkpoints,
      events: people.events,
      wakeUps: people.wakeUps,
    }).finally(() => people.close())
    const notes = cases.entries.filter(({ kind }) => kind === 'note').map(({ text }) => text)
    const durationMs = Date.now() - fixtures.nowMs
    console.log(endLines(playbook, outcome, durationMs, cases.all[0], notes))
    if (outcome.status !== 'completed') throw new Exit(exitCodes.failed)
  } finally {
    await live.close()
  }
}
