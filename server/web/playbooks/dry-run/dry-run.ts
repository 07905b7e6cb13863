import type { Step, StoredError } from '../../api/types.ts'
import type { NodeMark } from '../../graph/graph-node.tsx'
import { nodeMarks, nodeOf } from '../../runs/waterfall/node-marks.ts'

/** What `POST playbooks/dry-run` answers. */
export interface DryRun extends DryRunTree {
  readonly playbook: string
  /** Why the alert would not start it; null where it would. */
  readonly would_not_start: string | null
}

export interface DryRunTree {
  readonly events: readonly DryRunEvent[]
  readonly end: DryRunEnd | null
  /** With `end` null too there were too many ways: this one was not tried. */
  readonly question: Question | null
}

type DryRunEvent = { readonly step: DryStep } | { readonly would_do: Write }

type DryStep = Omit<Step, 'step_id' | 'resolution' | 'carried_from' | 'failed_attempts'>

/** What was not done. */
interface Write {
  readonly path: string
  readonly skill: string
  readonly connection: string | null
  readonly input: unknown
  readonly output: unknown
  readonly output_from: 'fixtures' | 'example' | 'schema'
}

interface DryRunEnd {
  readonly status: string
  readonly output: unknown
  readonly error: StoredError | null
  readonly duration_ms: number
  readonly writes: number
}

export interface Question {
  readonly path: string
  readonly via: string
  readonly input: unknown
  readonly ways: readonly Way[]
}

interface Way extends DryRunTree {
  readonly timeout: boolean
  readonly answer: unknown
}

/** One step on a way; `write`: it was not done. */
export interface DryRunStep extends Step {
  readonly write: Write | undefined
}

/** What happens from the beginning to an end. */
export interface Followed {
  readonly steps: readonly DryRunStep[]
  readonly questions: readonly { readonly question: Question; readonly chosen: number }[]
  /** Null where the way was not tried. */
  readonly end: DryRunEnd | null
}

/** The way that is gone where questions are answered like this, by their paths; else the first answer counts. */
export function follow(tree: DryRunTree, choices: ReadonlyMap<string, number>): Followed {
  const steps: DryRunStep[] = []
  const questions: Followed['questions'][number][] = []
  let at: DryRunTree | undefined = tree
  for (;;) {
    steps.push(...at.events.map(stepOf))
    const { question, end }: DryRunTree = at
    if (question === null) return { steps, questions, end }
    const chosen: number = choices.get(question.path) ?? 0
    questions.push({ question, chosen })
    at = question.ways[chosen]
    if (at === undefined) return { steps, questions, end: null }
  }
}

function stepOf(event: DryRunEvent): DryRunStep {
  const rest = { step_id: null, resolution: null, carried_from: null, failed_attempts: [] }
  if ('step' in event) return { ...event.step, ...rest, write: undefined }
  const { path, skill, input, output } = event.would_do
  const known = { path, kind: skill, state: 'completed', attempt: 1, error: null, input, output } as const
  return { ...known, started_at: 0, ended_at: 0, ...rest, write: event.would_do }
}

/** What became of each node of the graph; writes that were left out are marked so. */
export function dryRunMarks(steps: readonly DryRunStep[]): ReadonlyMap<string, NodeMark> {
  // Its clock stands still but for waits: how long a step took says nothing.
  const marks = new Map([...nodeMarks(steps)].map(([id, mark]) => [id, { ...mark, took: '' }]))
  const left = steps.filter(({ write }) => write !== undefined)
  for (const [id, same] of Map.groupBy(left, ({ path }) => nodeOf(path)))
    marks.set(id, { state: 'not_done', count: same.length, took: '' })
  return marks
}

/** An answer, as it is offered. */
export const answerText = ({ timeout, answer }: Way): string =>
  timeout ? 'no answer in time' : typeof answer === 'string' ? answer : JSON.stringify(answer)
