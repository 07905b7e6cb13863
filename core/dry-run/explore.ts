import type { Checkpoint, QuestionGroup } from '../domain/checkpoint.ts'
import type { JournalEntry } from '../domain/run.ts'
import { stringifyJson } from '../common/json.ts'
import { decide } from '../transitions/quorum.ts'
import type { AnswerChoice, OneAnswer } from '../playbook-test/run/checkpoint-answers.ts'
import { sampleFromSchema } from './assumed-output.ts'
import { createDryRunBudget } from './dry-run-budget.ts'
import { dryRun, isStateChange, type DryRun, type DryRunOptions } from './dry-run.ts'
import type { Catalogue } from '../registry/catalogue.ts'
import type { WouldDo } from './dry-run-caller.ts'

/** A run up to its end, or up to a question with one branch per answer. */
export interface DryRunTree {
  /** Events since the previous question. */
  readonly events: readonly DryRunEvent[]
  readonly end: DryRun | { readonly asked: Checkpoint; readonly ways: readonly Way[] } | 'too many ways'
}

export type DryRunEvent = { readonly ended: JournalEntry } | { readonly would: WouldDo }

export interface Way {
  readonly choice: AnswerChoice
  readonly tree: DryRunTree
}

/** Maximum number of ends: three questions with four answers each. */
const maxEnds = 64

/**
 * Runs a playbook without changing anything, once for each possible combination of answers. Reads are shared
 * between the branches.
 *
 * @throws TocsinError `dry_run_too_large`, and the reason of `signal`, once it is aborted
 */
export async function exploreDryRun(options: DryRunOptions): Promise<DryRunTree> {
  const read = remembering(options.live)
  const budget = createDryRunBudget()
  const signal = AbortSignal.any([budget.signal, ...(options.signal ? [options.signal] : [])])
  let ends = 0

  async function explore(
    choices: ReadonlyMap<string, AnswerChoice>,
    seen: ReadonlySet<string>,
  ): Promise<DryRunTree> {
    signal.throwIfAborted()
    if (ends >= maxEnds) return { events: [], end: 'too many ways' }
    const events: DryRunEvent[] = []
    const happened = new Set(seen)
    const note = (key: string, event: DryRunEvent) => {
      if (!happened.has(key)) events.push(event)
      happened.add(key)
    }
    const run = await dryRun({
      ...options,
      live: read,
      choices,
      signal,
      onEnd: (ended) => {
        budget.ended(ended)
        note(`ended ${ended.path}`, { ended })
      },
      onWouldDo: (would) => {
        budget.wouldDo(would)
        note(`would ${would.path}`, { would })
      },
    })
    signal.throwIfAborted()
    if (run.asked === undefined) {
      ends++
      return { events, end: run }
    }
    const { asked } = run
    const ways: Way[] = []
    for (const choice of waysOf(asked)) {
      const place = asked.group?.path ?? asked.path
      ways.push({ choice, tree: await explore(new Map([...choices, [place, choice]]), happened) })
    }
    return { events, end: { asked, ways } }
  }
  return await explore(options.choices ?? new Map(), new Set())
}

/** The possible decisions: several people all give the same answer, or answers that decide nothing, or none. */
function waysOf({ question, group }: Checkpoint): readonly AnswerChoice[] {
  const { answers, form } = question
  const given = answers?.map((answer) => ({ answer })) ?? [{ answer: sampleFromSchema(form ?? {}) }]
  const split = group === null ? undefined : splitOf(group, answers ?? [])
  return [...given, ...(split === undefined ? [] : [{ answers: split }]), 'timeout']
}

/** Tries different answers of the people, if these can leave the question undecided. */
function splitOf(group: QuestionGroup, answers: readonly string[]): readonly OneAnswer[] | undefined {
  const usable = answers.filter((answer) => !group.veto.includes(answer))
  if (usable.length < 2) return undefined
  const given = Array.from({ length: group.people }, (_, place) => usable[place % usable.length])
  const isSplit = given.some((_, place) => decide(group, given.slice(0, place + 1))?.by === 'split')
  return isSplit ? given.map((answer) => ({ answer })) : undefined
}

/** Makes the same read of the same step only once. */
function remembering(live: DryRunOptions['live']): DryRunOptions['live'] {
  const known = new Map<string, Promise<unknown>>()
  return (call) => {
    const key = stringifyJson([call.attempt.idempotencyKey, call.skill, call.input])
    const asked = known.get(key) ?? live(call)
    known.set(key, asked)
    return asked
  }
}

/** The events to show: a write appears once, not also as an ended step. */
export function eventsOf(
  { events }: Pick<DryRunTree, 'events'>,
  catalogue: Pick<Catalogue, 'skill'>,
): readonly DryRunEvent[] {
  return events.filter((event) => {
    if ('would' in event) return true
    const { state, kind } = event.ended
    if (isStateChange(event.ended)) return false
    return state !== 'completed' || catalogue.skill(kind)?.skill.effect !== 'write'
  })
}
