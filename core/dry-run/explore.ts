import type { Checkpoint } from '../domain/checkpoint.ts'
import type { JournalEntry } from '../domain/run.ts'
import { stringifyJson } from '../common/json.ts'
import type { Choice } from '../playbook-test/run/checkpoint-answers.ts'
import { madeFromSchema } from './assumed-output.ts'
import { createDryRunBudget } from './dry-run-budget.ts'
import { dryRun, type DryRun, type DryRunOptions } from './dry-run.ts'
import type { Catalogue } from '../registry/catalogue.ts'
import type { WouldDo } from './dry-run-caller.ts'

/** A run up to its end, or up to a question with every way that goes on from there. */
export interface DryRunTree {
  /** What happened since the question before. */
  readonly events: readonly DryRunEvent[]
  readonly end: DryRun | { readonly asked: Checkpoint; readonly ways: readonly Way[] } | 'too many ways'
}

export type DryRunEvent = { readonly ended: JournalEntry } | { readonly would: WouldDo }

export interface Way {
  readonly choice: Choice
  readonly tree: DryRunTree
}

/** Ends that are looked at: three questions with four ways each. */
const maxEnds = 64

/**
 * Runs a playbook without changing anything, once for each way that people may answer where no answer is given. What was read on
 * one way is not read again on another.
 *
 * @throws TocsinError `dry_run_too_large`, and the reason of `signal`, once it is aborted
 */
export async function exploreDryRun(options: DryRunOptions): Promise<DryRunTree> {
  const read = remembering(options.live)
  const budget = createDryRunBudget()
  const signal = AbortSignal.any([budget.signal, ...(options.signal ? [options.signal] : [])])
  let ends = 0

  async function explore(
    choices: ReadonlyMap<string, Choice>,
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
      ways.push({ choice, tree: await explore(new Map([...choices, [asked.path, choice]]), happened) })
    }
    return { events, end: { asked, ways } }
  }
  return await explore(options.choices ?? new Map(), new Set())
}

function waysOf({ question }: Checkpoint): readonly Choice[] {
  const { answers, form } = question
  const given = answers?.map((answer) => ({ answer })) ?? [{ answer: madeFromSchema(form ?? {}) }]
  return [...given, 'timeout']
}

/** The same question of the same step to the same system is asked once. */
function remembering(live: DryRunOptions['live']): DryRunOptions['live'] {
  const known = new Map<string, Promise<unknown>>()
  return (call) => {
    const key = stringifyJson([call.attempt.idempotencyKey, call.skill, call.input])
    const asked = known.get(key) ?? live(call)
    known.set(key, asked)
    return asked
  }
}

/** What happened, as it is shown: a write that would be made is told of once, and not as a step that has ended too. */
export function eventsOf(
  { events }: Pick<DryRunTree, 'events'>,
  catalogue: Pick<Catalogue, 'skill'>,
): readonly DryRunEvent[] {
  return events.filter((event) => {
    if ('would' in event) return true
    const { state, kind } = event.ended
    return state !== 'completed' || catalogue.skill(kind)?.skill.effect !== 'write'
  })
}
