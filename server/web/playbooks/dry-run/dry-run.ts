import { stepName } from '../../../../core/engine/journal/step-name.ts'
import { useMemo, useState } from 'react'
import type { ApiStep, ApiStoredError } from '../../api/types.ts'
import type { NodeMark } from '../../graph/graph-picture.tsx'
import { nodeMarks, nodeOf } from '../../runs/run-steps.ts'

/** Answer of `POST playbooks/dry-run`. */
export interface ApiDryRun extends ApiDryRunTree {
  readonly playbook: string
  /** Null if the alert triggers the playbook. */
  readonly would_not_start: string | null
  /** Why other alerts would share its case. */
  readonly correlation: readonly string[]
}

export interface ApiDryRunTree {
  readonly events: readonly DryRunEvent[]
  readonly end: DryRunEnd | null
  /** If `end` is also null, this path was not run because there were too many. */
  readonly question: DryRunQuestion | null
}

type DryRunEvent = { readonly step: DryStep } | { readonly would_do: Write }

type DryStep = Omit<ApiStep, 'step_id' | 'name' | 'resolution' | 'carried_from' | 'failed_attempts'>

/** A write that was not made. */
interface Write {
  readonly path: string
  readonly skill: string
  readonly connection: string | null
  readonly input: unknown
  readonly output: unknown
  readonly output_from: 'fixtures' | 'example' | 'schema' | 'state'
  readonly undo: { readonly after: string; readonly unless: string | null } | null
}

interface DryRunEnd {
  readonly status: string
  readonly output: unknown
  readonly error: ApiStoredError | null
  readonly duration_ms: number
  readonly writes: number
}

export interface DryRunQuestion {
  readonly path: string
  readonly via: string
  readonly input: unknown
  readonly ways: readonly Way[]
}

interface Way extends ApiDryRunTree {
  readonly timeout: boolean
  readonly answer: unknown
}

/** `write`: it was not made. */
export interface DryRunStep extends ApiStep {
  readonly write: Write | undefined
}

/** The steps of one path. */
export interface DryRunPath {
  readonly steps: readonly DryRunStep[]
  readonly questions: readonly { readonly question: DryRunQuestion; readonly chosen: number }[]
  /** Null if the path was not run. */
  readonly end: DryRunEnd | null
}

/** The path for these answers, by question; the first answer is the default. */
export function followPath(tree: ApiDryRunTree, choices: ReadonlyMap<string, number>): DryRunPath {
  const steps: DryRunStep[] = []
  const questions: DryRunPath['questions'][number][] = []
  let at: ApiDryRunTree | undefined = tree
  for (;;) {
    steps.push(...at.events.map(stepOf))
    const { question, end }: ApiDryRunTree = at
    if (question === null) return { steps, questions, end }
    const chosen: number = choices.get(question.path) ?? 0
    questions.push({ question, chosen })
    at = question.ways[chosen]
    if (at === undefined) return { steps, questions, end: null }
  }
}

function stepOf(event: DryRunEvent): DryRunStep {
  const rest = { step_id: null, resolution: null, carried_from: null, failed_attempts: [] }
  if ('step' in event) return { ...event.step, name: stepName(event.step), ...rest, write: undefined }
  const { path, skill, input, output } = event.would_do
  const known = { path, kind: skill, state: 'completed', attempt: 1, error: null, input, output } as const
  return { ...known, name: stepName(known), started_at: 0, ended_at: 0, ...rest, write: event.would_do }
}

/** The results of graph nodes. Writes are marked. */
export function dryRunMarks(steps: readonly DryRunStep[]): ReadonlyMap<string, NodeMark> {
  // The virtual clock moves only during waits, so durations mean nothing.
  const marks = new Map([...nodeMarks(steps)].map(([id, mark]) => [id, { ...mark, took: '' }]))
  const left = steps.filter(({ write }) => write !== undefined)
  for (const [id, same] of Map.groupBy(left, ({ path }) => nodeOf(path)))
    marks.set(id, { state: 'not_done', count: same.length, took: '' })
  return marks
}

/** The label of an answer. */
export const answerText = ({ timeout, answer }: Way): string =>
  timeout
    ? 'no answer in time'
    : typeof answer === 'string'
      ? answer
      : Array.isArray(answer)
        ? `different answers: ${answer.map((each) => String(each ?? 'none')).join(', ')}`
        : JSON.stringify(answer)

export interface DryRunResult {
  readonly answer: ApiDryRun
  /** The alert or input, for people. */
  readonly about: string
  /** The source that was run. */
  readonly source: string
  /** Chosen answers by the path of the question. */
  readonly choices: ReadonlyMap<string, number>
  /** Path of the selected step. */
  readonly selected: string | undefined
}

/** The state of the displayed dry run. */
export function useDryRun() {
  const [taken, setTaken] = useState<DryRunResult>()
  const followed = useMemo(() => taken && followPath(taken.answer, taken.choices), [taken])
  const change = (part: Partial<DryRunResult>): void => setTaken((before) => before && { ...before, ...part })
  return {
    taken,
    followed,
    take: (given: Pick<DryRunResult, 'answer' | 'about' | 'source'>) =>
      setTaken({ ...given, choices: new Map(), selected: undefined }),
    choose: (question: string, way: number) =>
      change({ choices: new Map([...(taken?.choices ?? []), [question, way]]) }),
    select: (path: string) => change({ selected: path }),
    clear: () => setTaken(undefined),
  }
}
