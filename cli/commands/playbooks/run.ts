import { Command } from 'commander'
import type { JournalEntry } from '../../../core/domain/run.ts'
import { choicesOf } from '../../../core/dry-run/choices.ts'
import { skillsOf } from '../../../core/engine/skills/skill-caller.ts'
import { createMemoryJournal } from '../../../core/playbook-test/run/memory-journal.ts'
import { createWorld, resultOf, startProcess } from '../../../core/playbook-test/run/run-test.ts'
import { rehearse } from '../../../core/playbook-test/run/rehearse.ts'
import { testCases } from '../../../core/plugin/testing/index.ts'
import { systemClock } from '../../../server/clock.ts'
import { Exit, exitCodes } from '../../exit-codes.ts'
import { paint } from '../../output/paint.ts'
import { printableLines } from '../../output/printable.ts'
import { openLiveSkills } from '../../rehearsal/connections.ts'
import { collectAnswers, collectTexts, type Texts } from '../../rehearsal/key-value.ts'
import { peopleHere } from '../../rehearsal/people.ts'
import { prepare } from '../../rehearsal/prepare.ts'
import { endLines, stepLine } from '../../rehearsal/show.ts'
import { typedChoice } from '../../rehearsal/typed-choice.ts'
import { stopSignal } from '../../stop-signal.ts'

interface Options {
  readonly alert?: string
  readonly input?: Texts
  readonly answer?: Texts
  readonly mocks?: string
  readonly organization?: string
}

/** `tocsin run`: one playbook, here and now. */
export function runCommand(): Command {
  return new Command('run')
    .description('run a playbook here and now, with mocks or with the connections of the data directory')
    .argument('<playbook>', 'a playbook file')
    .option('--alert <file.json>', 'the alert: what POST /alerts takes, or its content; - for standard input')
    .option('--input <name=value>', 'an input of the playbook; may be given again', collectTexts)
    .option(
      '--mocks <file>',
      'a file with fixtures and mocks, e.g. of tests: nothing is sent, and no time passes',
    )
    .option(
      '--answer <step=answer>',
      'what is answered to a checkpoint, or timeout; may be given again',
      collectAnswers,
    )
    .option('--organization <code>', 'whose connections are used; the only organization when left out')
    .addHelpText(
      'after',
      `
Without --mocks skills are called in earnest, writes too: \`tocsin dry-run\` shows them first. The case is kept in memory and
shown at the end; nothing is written to the data directory. Where there is none, skills that need a connection fail. Ctrl-C
cancels the run. Questions to people are answered by --answer, else here in the terminal; nobody else is asked, since an
answer from elsewhere goes to the server.

Examples:
  tocsin run playbooks/brute-force.yaml --mocks playbooks/brute-force.test.yaml
  tocsin run playbooks/brute-force.yaml --alert alert.json --organization main

Exits with 0 when the run completes.`,
    )
    .action((playbook: string, options: Options) =>
      options.mocks === undefined ? runLive(playbook, options) : runMocked(playbook, options.mocks, options),
    )
}

const print = (entry: JournalEntry): void => console.log(stepLine(entry))

async function runMocked(file: string, mocks: string, options: Options): Promise<void> {
  const { catalogue, playbook, ...world } = await prepare({
    playbook: file,
    alert: options.alert,
    inputs: options.input,
    world: mocks,
    organization: undefined,
  })
  const choices = choicesOf(playbook, world.called, options.answer ?? {}, typedChoice)
  const made = createWorld({ playbook, ...world, choices }, catalogue, print)
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
    const { catalogue, playbook, called, fixtures } = await prepare({
      playbook: file,
      alert: options.alert,
      inputs: options.input,
      world: undefined,
      organization: live.isOffline ? undefined : { code, name },
    })
    const cases = testCases(code, playbook.name)
    const cancel = new AbortController()
    const people = peopleHere({
      playbook,
      called,
      organizationUuid: uuid,
      choices: choicesOf(playbook, called, options.answer ?? {}, typedChoice),
      catalogue,
      cancel: cancel.signal,
    })
    void stopSignal().then(() => cancel.abort())
    const journal = createMemoryJournal(print)
    const outcome = await rehearse({
      playbook,
      called,
      fixtures,
      skills: skillsOf(catalogue, people.withoutAsking(live.caller(catalogue, cases))),
      journal: journal.store,
      clock: systemClock,
      log: live.log,
      caseId: `${code}-1`,
      organizationUuid: uuid,
      cancel: cancel.signal,
      checkpoints: people.checkpoints,
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
