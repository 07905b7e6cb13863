import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '../../support/eventually.ts'
import type { AlertSenders } from './alert-senders.ts'
import type { SupervisedNode, NodeEnd, SupervisedCluster } from './supervised-cluster.ts'

/** A node may send for this time after a renewal, in milliseconds. */
const leaseMs = 5_000

/** Runs are usually taken over sooner. */
const lateMs = 8_500

export const faultKinds = ['promote', 'kill', 'pause', 'freeze', 'isolate'] as const
export type FaultKind = (typeof faultKinds)[number]

/** By how often they happen in long runs. */
const often: readonly FaultKind[] = ['kill', 'kill', 'kill', 'kill', 'freeze', 'freeze', 'promote', 'isolate']
/** While a node is on its way back: no other one takes over. */
const meanwhile: readonly FaultKind[] = ['promote', 'promote', 'pause']

/** A fault and what came of it, times in milliseconds. */
export interface FaultReport {
  readonly kind: FaultKind
  readonly node?: string
  /** How long the node was stopped or cut off. */
  readonly forMs?: number
  /** Runs whose turn the node had. */
  readonly held?: number
  /** From the fault until all of them had their next turn on another node, or ended; without suspects. */
  readonly takeoverMs?: number
  /** Transactions that were open for long when the takeover was late. */
  readonly waits?: readonly string[]
  /** As `takeoverMs`, if the node came back before the others removed it, and went on itself. */
  readonly resumedMs?: number
  /** The same of runs that were left by two nodes in a row, which are taken up one by one. */
  readonly suspectsMs?: number
  /** From the end of the primary to the promotion of its standby. */
  readonly decidedMs?: number
  /** From the command to promote to the first acknowledged alert. */
  readonly acknowledgedMs?: number
  /** What else was cut during the fault. */
  readonly cut?: string
}

interface HeldRun {
  readonly uuid: string
  readonly turn: number
  readonly isSuspect: boolean
}

/** Does one fault at a time to a cluster under load. */
export class ClusterFaults {
  readonly #cluster: SupervisedCluster
  readonly #senders: AlertSenders
  readonly #random: () => number
  /** Nodes whose process may end by itself, because others may have removed it. */
  readonly #mayEnd = new Set<SupervisedNode>()
  /** Ends of processes that nobody killed or removed. */
  readonly unexpected: NodeEnd[] = []
  /** Nodes that were stopped or cut off, until they are members again or have ended. */
  readonly #returning = new Map<SupervisedNode, Promise<void>>()
  #standby: Promise<void> = Promise.resolve()
  /** How often a node was stopped or cut off. */
  #stopped = 0

  constructor(cluster: SupervisedCluster, senders: AlertSenders, random: () => number) {
    this.#cluster = cluster
    this.#senders = senders
    this.#random = random
  }

  /** To be called when a process has ended. */
  ended(end: NodeEnd): void {
    if (!this.#mayEnd.delete(end.node)) this.unexpected.push(end)
  }

  next(): FaultKind {
    const isWhole = this.#free().length === this.#cluster.nodes.length
    return this.#oneOf(isWhole ? often : meanwhile)
  }

  /** Resolves when the fault is over, and others have continued what it interrupted. */
  async do(kind: FaultKind): Promise<FaultReport> {
    await sleep(this.#random() * 1_000)
    const { nodes } = this.#cluster
    const needed = meanwhile.includes(kind) ? nodes.length - 1 : nodes.length
    await eventually('the nodes to be up', () => (this.#free().length >= needed ? true : undefined))
    const node = this.#oneOf(this.#free())
    const cut = this.#random() < 0.5 ? this.#cut() : undefined
    const report = await (kind === 'promote' ? this.#promote() : this.#stop(kind, node))
    return { kind, ...(kind !== 'promote' && { node: node.name }), ...report, ...(cut && { cut }) }
  }

  #free(): readonly SupervisedNode[] {
    return this.#cluster.nodes.filter((node) => node.isUp && !this.#returning.has(node))
  }

  /** All nodes are up, and the newest standby is synchronous. */
  async settled(): Promise<void> {
    await this.#standby
    await Promise.all(this.#returning.values())
    await eventually('all nodes to be up', () =>
      this.#cluster.nodes.every(({ isUp }) => isUp) ? true : undefined,
    )
  }

  async #stop(kind: Exclude<FaultKind, 'promote'>, node: SupervisedNode): Promise<Partial<FaultReport>> {
    const id = await this.#cluster.idOf(node)
    await this.#isActing(id)
    const { command } = node.server
    const at = performance.now()
    if (kind === 'kill') {
      this.#mayEnd.add(node)
      command.process.kill('SIGKILL')
      await command.ended
      return await this.#takenOver(id, at)
    }
    if (kind !== 'pause') this.#mayEnd.add(node)
    const { proxies } = node.link
    if (kind === 'isolate')
      for (const proxy of proxies) {
        proxy.refuses = true
        proxy.cutAll()
      }
    else command.process.kill('SIGSTOP')
    const taken = kind === 'pause' ? undefined : this.#takenOver(id, at)
    await this.#endOf(kind, id)
    const forMs = Math.round(performance.now() - at)
    for (const proxy of proxies) proxy.refuses = false
    command.process.kill('SIGCONT')
    if (kind !== 'pause') this.#returning.set(node, this.#return(node, id, command.ended))
    return { forMs, ...(await taken) }
  }

  /** Mostly until others have removed the node and continued its runs, and sometimes until about the moment when they do. */
  async #endOf(kind: 'freeze' | 'pause' | 'isolate', id: string): Promise<void> {
    // So short that others do not remove a node whose last renewal was a second ago, not even on a busy machine.
    if (kind === 'pause') await sleep(2_000 + this.#random() * 1_000)
    else if (this.#stopped++ > 0 && this.#random() < 0.2) await sleep(leaseMs + 500 + this.#random() * 2_000)
    else {
      const isGone = `SELECT 1 FROM nodes WHERE id = '${id}' AND gone_at IS NOT NULL`
      await eventually(
        'the others to remove the node',
        async () => (await this.#cluster.database.query(isGone))[0],
      )
      await sleep(1_000 + this.#random() * 1_500)
    }
  }

  async #promote(): Promise<Partial<FaultReport>> {
    await this.#standby
    const { database } = this.#cluster
    const killedAt = performance.now()
    await database.killPrimary()
    // Somebody notices and decides: sometimes later than nodes are patient with each other.
    await sleep(this.#random() < 0.15 ? 6_000 + this.#random() * 2_500 : this.#random() * 1_000)
    const promotedAt = performance.now()
    await database.promote()
    const acknowledgedAt = await this.#senders.firstAfter(promotedAt)
    this.#standby = database.addStandby()
    this.#standby.catch(() => {}) // whoever waits for it is told
    return {
      decidedMs: Math.round(promotedAt - killedAt),
      acknowledgedMs: Math.round(acknowledgedAt - promotedAt),
    }
  }

  /** Ends connections of one node, or loses one of its COMMITs or the answer to it. */
  #cut(): string {
    const node = this.#oneOf(this.#cluster.nodes)
    const what = this.#oneOf(['all', 'before', 'after'] as const)
    for (const proxy of node.link.proxies) {
      if (what === 'all') proxy.cutAll()
      else proxy.cut = what
    }
    return `${node.name}: ${what === 'all' ? 'connections' : `${what} a commit`}`
  }

  async #takenOver(id: string, at: number): Promise<Partial<FaultReport>> {
    const held = await this.#heldBy(id)
    let waits: readonly string[] = []
    const last = async (runs: readonly HeldRun[]): Promise<number> => {
      for (let left = runs; ; await sleep(100)) {
        left = await this.#notTaken(left)
        if (left.length === 0) return Math.round(performance.now() - at)
        if (waits.length === 0 && performance.now() - at > lateMs) waits = await this.#waits()
        if (performance.now() - at > 120_000)
          throw new Error(`nobody takes over the runs ${left.map(({ uuid }) => uuid).join(', ')} of ${id}`)
      }
    }
    const [usual, suspects] = [held.filter((run) => !run.isSuspect), held.filter((run) => run.isSuspect)]
    const tookMs = usual.length > 0 && (await last(usual))
    const [node] = await this.#cluster.database.query(`SELECT gone_at FROM nodes WHERE id = '${id}'`)
    return {
      held: held.length,
      ...(tookMs !== false && (node?.['gone_at'] === null ? { resumedMs: tookMs } : { takeoverMs: tookMs })),
      ...(suspects.length > 0 && { suspectsMs: await last(suspects) }),
      ...(waits.length > 0 && { waits }),
    }
  }

  /** Why a takeover may be late. */
  async #waits(): Promise<readonly string[]> {
    const rows = await this.#cluster.database.query(
      `SELECT concat_ws(' ', state, wait_event, extract(epoch FROM now() - xact_start)::numeric(9, 1), 's:', left(query, 60)) AS wait
       FROM pg_stat_activity WHERE xact_start < now() - interval '1 second'`,
    )
    return ['late', ...rows.map(({ wait }) => String(wait))]
  }

  /** Waits until it is about to act, if it gets anything to do soon. */
  async #isActing(id: string): Promise<void> {
    const acting = `SELECT 1 FROM runs r JOIN journal j ON j.run_id = r.id
      WHERE r.owner = '${id}' AND r.ended_at IS NULL AND j.kind = 'acting.verify' AND j.state = 'started'`
    for (let looks = 0; looks < 50; looks++) {
      if ((await this.#cluster.database.query(acting)).length > 0) return
      await sleep(50)
    }
  }

  async #heldBy(id: string): Promise<readonly HeldRun[]> {
    const rows = await this.#cluster.database.query(
      `SELECT uuid, turn, crashes FROM runs WHERE owner = '${id}' AND ended_at IS NULL`,
    )
    return rows.map(({ uuid, turn, crashes }) => ({
      uuid: String(uuid),
      turn: Number(turn),
      isSuspect: Number(crashes) > 0,
    }))
  }

  /** A takeover counts as a turn of its own. */
  async #notTaken(runs: readonly HeldRun[]): Promise<readonly HeldRun[]> {
    const list = runs.map(({ uuid }) => `'${uuid}'`).join(', ')
    const rows = await this.#cluster.database.query(
      `SELECT uuid, turn FROM runs WHERE uuid IN (${list}) AND ended_at IS NULL`,
    )
    const turns = new Map(rows.map(({ uuid, turn }) => [String(uuid), Number(turn)]))
    return runs.filter(({ uuid, turn }) => (turns.get(uuid) ?? Infinity) < turn + 2)
  }

  /** A node that was removed ends some seconds after it has noticed; another one renews its lease. */
  async #return(node: SupervisedNode, id: string, ended: Promise<unknown>): Promise<void> {
    const renewal = async () =>
      (await this.#cluster.database.query(`SELECT gone_at, renewed_at FROM nodes WHERE id = '${id}'`))[0]
    const first = await renewal()
    let hasEnded = false
    void ended.then(() => (hasEnded = true))
    await eventually('the node to end or to renew its lease', async () => {
      if (hasEnded) return true
      // While the database is away, it does neither.
      const now = await renewal().catch(() => undefined)
      return now?.['gone_at'] === null && now['renewed_at'] !== first?.['renewed_at'] ? true : undefined
    })
    this.#mayEnd.delete(node)
    this.#returning.delete(node)
  }

  #oneOf<T>(items: readonly T[]): T {
    return items[Math.floor(this.#random() * items.length)]!
  }
}
