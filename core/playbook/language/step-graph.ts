import { writeRate } from '../../common/rates.ts'
import { conditionWords, stepName } from '../../engine/journal/step-name.ts'
import { writeDuration } from './durations.ts'
import type { AskedPeople, AwaitedEvent } from '../waits/waits.ts'
import type { Playbook, Step, Template } from './playbook.ts'

/** A playbook as a graph, for drawing. */
export interface StepGraph {
  readonly nodes: readonly GraphNode[]
  readonly edges: readonly GraphEdge[]
}

export interface GraphNode {
  /** The path of the step, as in the journal without items: `outcome/0/isolate`. */
  readonly id: string
  /** `start` and `end` of the run, the `join` after a parallel or switch, or the action of a step. */
  readonly kind: 'start' | 'end' | 'join' | Step['action']
  readonly label: string
  /** What people call it: also a step without an id has a readable name. */
  readonly name: string
  /** The step in the source; undefined for start, end and joins. */
  readonly line: number | undefined
  /** Path of the group around it; undefined at the top. */
  readonly parent: string | undefined
  readonly isConditional: boolean
  readonly isForeach: boolean
  /** The skill that it uses or asks with; for a `call`, the playbook. */
  readonly skill?: string
  /** The wait time or failure message, if literal; the quorum of several people. */
  readonly detail?: string
  /** The source of `if`. */
  readonly condition?: string
  /** The name of the item of `foreach`. */
  readonly item?: string
  /** How often it starts: `30/min`. */
  readonly rate?: string
  /** When its containment is undone: `4h`. */
  readonly undoneAfter?: string
}

export interface GraphEdge {
  readonly from: string
  readonly to: string
  /**
   * `branch` leads into parallel steps, cases and `else`; `error` to the steps of `on_error`; `finally` to
   * those of `finally`.
   */
  readonly kind: 'sequence' | 'branch' | 'join' | 'error' | 'finally'
  /** The condition of a case, or `else`. */
  readonly label: string | undefined
}

type EdgeKind = GraphEdge['kind']

/** The source and kind of an edge to the first step of a sequence. */
interface Entrance {
  readonly from: string
  readonly kind: EdgeKind
  readonly label?: string
}

/** Converts a playbook to its graph. Nodes are in source order. */
export function toStepGraph(playbook: Playbook): StepGraph {
  const { onError } = playbook
  const graph = new GraphBuilder()
  graph.node({ id: '@start', kind: 'start', label: playbook.name })
  const open = graph.sequence(playbook.steps, '', undefined, [{ from: '@start', kind: 'sequence' }])
  // Any step may lead to the `on_error` of the playbook: one edge represents all of them.
  const handled =
    onError.length === 0
      ? []
      : graph.sequence(onError, '@on_error', undefined, [{ from: '@start', kind: 'error' }])
  const exits = [...open, ...handled, ...graph.endings]
  const toFinally = exits.map((exit) => ({ ...exit, kind: 'finally' as const }))
  const ends =
    playbook.finally.length === 0 ? exits : graph.sequence(playbook.finally, '@finally', undefined, toFinally)
  graph.node({ id: '@end', kind: 'end', label: 'end' })
  graph.enter('@end', ends)
  return { nodes: graph.nodes, edges: graph.edges }
}

class GraphBuilder {
  readonly nodes: GraphNode[] = []
  readonly edges: GraphEdge[] = []
  /** Steps that end the run. */
  readonly endings: Entrance[] = []

  node(node: Pick<GraphNode, 'id' | 'kind' | 'label'> & Partial<GraphNode>): void {
    const { label: name } = node
    this.nodes.push({
      name,
      line: undefined,
      parent: undefined,
      isConditional: false,
      isForeach: false,
      ...node,
    })
  }

  enter(to: string, entrances: readonly Entrance[]): void {
    for (const { from, kind, label } of entrances) this.edges.push({ from, to, kind, label })
  }

  /** Adds the steps; returns the edges to the next step. */
  sequence(
    steps: readonly Step[],
    prefix: string,
    parent: string | undefined,
    entrances: readonly Entrance[],
  ): readonly Entrance[] {
    let open = entrances
    for (const step of steps) open = this.#step(step, join(prefix, step.key), parent, open)
    return open
  }

  #step(
    step: Step,
    path: string,
    parent: string | undefined,
    entrances: readonly Entrance[],
  ): readonly Entrance[] {
    this.node({
      id: path,
      kind: step.action,
      label: step.name ?? step.id ?? labelOf(step),
      name: step.name ?? step.id ?? describeStep(step, path),
      line: step.place.line,
      parent,
      isConditional: step.if !== undefined,
      isForeach: step.foreach !== undefined,
      ...detailsOf(step),
      ...(step.if === undefined ? {} : { condition: step.if.source }),
      ...(step.foreach === undefined ? {} : { item: step.foreach.as }),
      ...(step.rate === undefined ? {} : { rate: writeRate(step.rate.limit) }),
      ...(step.action === 'uses' && step.undo && { undoneAfter: writeDuration(step.undo.afterMs) }),
    })
    this.enter(path, entrances)
    const exits = this.#inside(step, path)
    if (typeof step.onError === 'string') return exits
    const handled = this.sequence(step.onError, join(path, '@on_error'), path, [
      { from: path, kind: 'error' },
    ])
    return [...exits, ...handled]
  }

  /** Adds the steps inside a step; returns the edges to the next step. */
  #inside(step: Step, path: string): readonly Entrance[] {
    // A conditional step may be skipped.
    const skipped: readonly Entrance[] = step.if === undefined ? [] : [{ from: path, kind: 'sequence' }]
    switch (step.action) {
      case 'steps': {
        return [...this.sequence(step.steps, path, path, [{ from: path, kind: 'branch' }]), ...skipped]
      }
      case 'parallel': {
        const branches = step.steps.map((branch) =>
          this.#step(branch, join(path, branch.key), path, [{ from: path, kind: 'branch' }]),
        )
        return this.#join(path, [...branches.flat(), ...skipped])
      }
      case 'switch': {
        const cases = step.cases.map(({ when, steps }, index) =>
          this.sequence(steps, join(path, String(index)), path, [
            { from: path, kind: 'branch', label: when.source },
          ]),
        )
        const otherwise = this.sequence(step.else, join(path, 'else'), path, [
          { from: path, kind: 'branch', label: 'else' },
        ])
        return this.#join(path, [...cases.flat(), ...otherwise, ...skipped])
      }
      case 'return':
      case 'fail':
        this.endings.push({ from: path, kind: 'sequence' })
        return skipped
      default:
        return [{ from: path, kind: 'sequence' }]
    }
  }

  #join(path: string, exits: readonly Entrance[]): readonly Entrance[] {
    // If every branch ends the run, there is no join.
    if (exits.length === 0) return []
    const id = join(path, '@join')
    this.node({ id, kind: 'join', label: '', parent: path })
    this.enter(
      id,
      exits.map((exit) => (exit.kind === 'sequence' ? { ...exit, kind: 'join' as const } : exit)),
    )
    return [{ from: id, kind: 'sequence' }]
  }
}

/** The name of a step without an id. */
function describeStep(step: Step, path: string): string {
  switch (step.action) {
    case 'uses':
      return stepName({ path, kind: step.skill })
    case 'call':
      return `call ${step.playbook}`
    case 'set':
      return keysOf(step.set).length > 0
        ? `set ${listOf(keysOf(step.set))}`
        : stepName({ path, kind: step.action })
    case 'steps':
    case 'parallel':
    case 'switch':
      if (step.if !== undefined) return `if ${conditionWords(step.if.source)}`
      return stepName({ path, kind: step.action })
    default:
      return stepName({ path, kind: step.action })
  }
}

function keysOf(template: Template): readonly string[] {
  if (template.kind === 'map') return template.entries.map(([key]) => key)
  const value = template.kind === 'literal' ? template.value : undefined
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : []
}

const maxListed = 3

const listOf = (names: readonly string[]): string =>
  names.length <= maxListed ? names.join(', ') : `${names.slice(0, maxListed).join(', ')}, …`

function labelOf(step: Step): string {
  if (step.action === 'uses') return step.skill
  return step.action === 'call' ? step.playbook : step.action
}

const join = (prefix: string, key: string): string => (prefix === '' ? key : `${prefix}/${key}`)

/** The alert that a step waits for, and how long. */
function eventDetail({ event: { of, withinMs } }: AwaitedEvent<Template>): string {
  const within = withinMs.kind === 'literal' ? `, at most ${writeDuration(Number(withinMs.value))}` : ''
  if (of.kind === 'case') return `case ${of.events?.join(', ') ?? 'changes'}${within}`
  const { type } = of
  const types = type === undefined ? 'any' : type.kind === 'literal' ? [type.value].flat().join(', ') : '…'
  return `alert ${types}${within}`
}

/** The quorum, and how often the question is escalated. */
function peopleDetail(people: AskedPeople<Template> | undefined): Pick<GraphNode, 'detail'> {
  if (people === undefined) return {}
  const { ask, quorum, escalate } = people
  const written = ask.kind === 'literal' ? [ask.value].flat().length : undefined
  const of = typeof quorum === 'number' && written !== undefined ? ` of ${written}` : ''
  const steps =
    escalate.length === 0
      ? ''
      : `, escalates after ${escalate.map(({ afterMs }) => writeDuration(afterMs)).join(', ')}`
  return { detail: `quorum ${quorum}${of}${steps}` }
}

function detailsOf(step: Step): Pick<GraphNode, 'skill' | 'detail'> {
  switch (step.action) {
    case 'uses':
      return { skill: step.skill }
    case 'checkpoint':
      return { skill: step.via, ...peopleDetail(step.people) }
    case 'call':
      return { skill: step.playbook }
    case 'wait': {
      if ('event' in step.wait) return { detail: eventDetail(step.wait) }
      const time = 'durationMs' in step.wait ? step.wait.durationMs : step.wait.until
      if (time.kind !== 'literal') return {}
      return { detail: 'until' in step.wait ? String(time.value) : writeDuration(Number(time.value)) }
    }
    case 'state':
      return { detail: `${step.operation} ${step.state}` }
    case 'fail':
      return step.message.kind === 'literal' ? { detail: String(step.message.value) } : {}
    default:
      return {}
  }
}
