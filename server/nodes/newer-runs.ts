import { createBackground, type Background } from '../../core/common/background.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { Log } from '../../core/ports/log.ts'
import type { NodeStore, StoredNode } from '../../core/ports/nodes/node-store.ts'
import type { RunsOfVersion, RunStore } from '../../core/ports/runs/run-store.ts'
import { orderedVersion } from '../sql/nodes/program-order.ts'

export interface NewerRunsOptions {
  readonly runs: Pick<RunStore, 'ofNewer'>
  readonly nodes: Pick<NodeStore, 'list'>
  /** Whether other nodes may leave such runs while this one works. */
  readonly isShared: boolean
  readonly clock: Clock
  readonly log: Log
}

/** Active runs that no node may continue: `version` or a later Tocsin must. */
export interface WaitingRuns extends RunsOfVersion {}

const lookMs = 30_000

/**
 * Watches for runs that newer nodes have left behind, e.g. after a downgrade: nothing continues them before a node of their version or a
 * later one takes part. They are counted now and then, because all active runs are looked at.
 */
export class NewerRuns {
  readonly #options: NewerRunsOptions
  readonly #background: Background
  #runs: readonly RunsOfVersion[] = []
  #told = ''
  #nap = new AbortController()

  constructor(options: NewerRunsOptions) {
    this.#options = options
    this.#background = createBackground(options.clock, () => this.#work())
  }

  start(): void {
    this.#background.start()
  }

  /** A node has left. */
  lookNow(): void {
    this.#nap.abort()
  }

  stop(): Promise<void> {
    return this.#background.stop()
  }

  /** @param nodes on the store; this process need not be among them */
  waiting(nodes: readonly StoredNode[]): readonly WaitingRuns[] {
    const present = nodes.filter(({ gone }) => gone === null).map(({ program }) => orderOf(program))
    return this.#runs.filter(({ version }) => present.every((program) => program < orderOf(version)))
  }

  async #work(): Promise<void> {
    const { clock, log, isShared } = this.#options
    const { signal } = this.#background
    while (!signal.aborted) {
      this.#nap = new AbortController()
      await this.#look().catch((error: unknown) =>
        log.warn({ error }, 'could not look for runs of newer nodes'),
      )
      // Of a single process, runs of newer ones only become fewer.
      if (!isShared && this.#runs.length === 0) return
      await clock.sleep(lookMs, AbortSignal.any([signal, this.#nap.signal])).catch(() => {})
    }
  }

  async #look(): Promise<void> {
    const { runs, nodes, log } = this.#options
    this.#runs = await runs.ofNewer()
    const waiting = this.#runs.length === 0 ? [] : this.waiting(await nodes.list())
    const version = waiting.at(-1)?.version ?? ''
    if (version === this.#told) return
    this.#told = version
    if (version === '') return log.info({}, 'no run waits for a node with a newer Tocsin any more')
    const count = waiting.reduce((sum, { runs: each }) => sum + each, 0)
    const message =
      'runs wait for a node with this version of Tocsin or a later one, which had them last: start one'
    log.error({ count, version }, message)
  }
}

/** Of another node, whose version may be none. */
function orderOf(version: string): string {
  try {
    return orderedVersion(version)
  } catch {
    return ''
  }
}
