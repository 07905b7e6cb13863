import type { SourceProblem } from '../../errors/source-frame.ts'
import type { ExclusiveJob } from './exclusive-work.ts'

/** A process that runs investigations. */
export interface StoredNode {
  /** Uuid, new at each start. */
  readonly id: string
  /** For people: host and process id. */
  readonly name: string
  /** Version of Tocsin. */
  readonly program: string
  /** Epoch milliseconds by the clock of the node. */
  readonly startedAt: number
  /** Rises with each renewal, also if the clock of the node was set back. */
  readonly renewedAt: number
  /** Ids of the nodes that it counts, itself included. */
  readonly peers: readonly string[]
  /** What it last told of itself; null: nothing yet. */
  readonly report: NodeReport | null
  /** Null: it takes part. */
  readonly gone: GoneNode | null
}

/** Counts of the last minute in an organization. */
export interface MinuteRates {
  readonly received: number
  /** Repeats among them that joined a case. */
  readonly grouped: number
  /** Alerts refused because the queue was full. */
  readonly refused: number
  /** Ended runs. */
  readonly ended: number
}

/** By organization (uuid); absent: nothing. */
export type RatesOfOrganizations = Readonly<Record<string, MinuteRates>>

/** A file that is older than what a person has published on another node, or missing, and that Tocsin cannot write. */
export interface OutdatedFile {
  /** Path in the folder. */
  readonly file: string
  /** Name of the playbook. */
  readonly playbook: string
  /** Who has published or deleted it. */
  readonly changedBy: string
}

/** What is wrong with the playbooks folder. */
export interface FolderReport {
  /** Files that are not live, by their paths in the folder. */
  readonly refused: readonly { readonly file: string; readonly errors: number }[]
  /** See `RefusedChange`; null: all is published. */
  readonly change: {
    readonly reason: 'errors' | 'missing' | 'empty' | 'changing'
    readonly changed: number
    readonly problems: readonly SourceProblem[]
  } | null
  /** Absent: an older node does not tell. */
  readonly outdated?: readonly OutdatedFile[] | undefined
}

/** What a node tells the others of itself. */
export interface NodeReport {
  /** `draining`: it stops, and hands its runs over. */
  readonly role: 'active' | 'draining'
  /** Runs that have their turn on it. */
  readonly runs: number
  /** Due runs that it knows of. */
  readonly queued: number
  /** Use of the processor since the last report, in percent of one core. */
  readonly cpuPercent: number
  readonly memoryBytes: number
  /** The newest error in its log; null: none since its start. */
  readonly lastError: { readonly at: number; readonly message: string } | null
  /** Runs that have their turn, by organization (uuid); of the busiest. Absent: an older node does not tell. */
  readonly working?: Readonly<Record<string, number>> | undefined
  /** Runs that it watches after crashes. Absent: an older node does not tell. */
  readonly suspects?: number | undefined
  /** Of the busiest organizations. Absent: an older node does not tell. */
  readonly rates?: RatesOfOrganizations | undefined
  /** Of the node that reads the folder, if something is wrong with it. */
  readonly folder?: FolderReport | undefined
  /** Digests of what all nodes must agree on; undefined: there are no other nodes. */
  readonly settings?: string | undefined
}

/** `left`: it stopped regularly. `lost`: it no longer renewed its lease. */
export interface GoneNode {
  /** Epoch milliseconds. */
  readonly at: number
  readonly why: 'left' | 'lost'
}

/** How long a node that is gone is listed, in milliseconds. */
export const goneListedMs = 3_600_000

/** What a renewal tells; undefined fields stay as they were. */
export interface Renewal {
  readonly peers?: readonly string[] | undefined
  readonly report?: NodeReport | undefined
}

/** The processes that run investigations on this store, while they take part in failover. */
export interface NodeStore {
  /** Of this process, whether it takes part or not. */
  readonly id: string
  /** Adds this process. From then on, its writes reject with UnavailableError `node_removed` after another one has removed it. */
  join(node: Pick<StoredNode, 'name' | 'program'>): Promise<void>
  /** Says that the process is alive. Rejects with UnavailableError `node_removed` if it was removed, `database_replaced` if earlier renewals are missing. */
  renew(renewal?: Renewal): Promise<void>
  /** By start, with those that are gone for at most `goneListedMs`. */
  list(): Promise<readonly StoredNode[]>
  /**
   * At a regular stop of this process, or for processes that are known not to act any more: they are gone, their turns and jobs are given
   * up. One that has renewed its lease since it was read stays.
   */
  remove(nodes: readonly Pick<StoredNode, 'id' | 'renewedAt'>[], why: GoneNode['why']): Promise<void>
  /** Removes this process. */
  leave(): Promise<void>
  /** Gives a job to this process if no node that takes part has it. Whether this process has it. */
  takeJob(job: ExclusiveJob): Promise<boolean>
}
