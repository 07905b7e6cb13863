import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import { onlyProcess, type ExclusiveWork } from '../ports/nodes/exclusive-work.ts'
import type { Reloaded } from './playbook-folder.ts'
import type { PlaybookFiles } from './playbook-files.ts'

/** Reloads the playbooks folder when its files have changed. */
export interface FolderWatch {
  start(): void
  /** Resolves when no reload is under way. */
  stop(): Promise<void>
}

export interface FolderWatchOptions {
  readonly files: Pick<PlaybookFiles, 'state'>
  readonly reload: () => Promise<Reloaded>
  /** See `PlaybookLibrary`. */
  readonly takeUpRefused: () => Promise<boolean>
  /** Called when playbooks were published or deleted. */
  readonly onChange: () => Promise<void>
  /** Time between two looks. */
  readonly periodMs: number
  /** Default: this process is the only one. */
  readonly exclusive?: ExclusiveWork | undefined
  readonly clock: Clock
  readonly log: Log
}

/** Default time between two looks. */
export const defaultReloadSeconds = 5
/** The files must stay unchanged for this time, or one period if that is shorter. */
const stillMs = 1_000

export function createFolderWatch(options: FolderWatchOptions): FolderWatch {
  const { files, reload, takeUpRefused, onChange, periodMs, clock, log, exclusive = onlyProcess } = options
  const stopping = new AbortController()
  const { signal } = stopping
  let underWay: Promise<void> | undefined
  /** Fingerprints of the last look and of the last reload. */
  let seen: string | undefined
  let reloaded: string | undefined

  async function work(): Promise<void> {
    let restMs = periodMs
    while (!signal.aborted) {
      await rest(restMs)
      if (signal.aborted) return
      restMs = (await look().catch(noteFailure)) ? periodMs : Math.min(stillMs, periodMs)
    }
  }

  /** Whether the folder is published as it is, or refused. */
  async function look(): Promise<boolean> {
    if (!(await exclusive.isMine('playbooks_folder'))) return true
    const { fingerprint, isBusy } = await files.state()
    const isStill = fingerprint === seen && !isBusy
    seen = fingerprint
    if (fingerprint === reloaded && !isBusy) {
      // Another node may have created what a file names.
      if (exclusive.isShared && (await takeUpRefused())) await onChange()
      return true
    }
    if (!isStill) return false
    const { refused, published, removed } = await reload()
    if (published.length + removed.length > 0) await onChange()
    if (refused?.reason === 'changing') return false
    reloaded = fingerprint
    return true
  }

  function noteFailure(error: unknown): boolean {
    log.warn({ error }, 'could not reload the playbooks folder; trying again soon')
    return true
  }

  /** Ends early when the server stops. */
  async function rest(ms: number): Promise<void> {
    await clock.sleep(ms, signal).catch((error: unknown) => {
      if (!signal.aborted) throw error
    })
  }

  return {
    start() {
      underWay = work()
    },
    async stop() {
      stopping.abort()
      await underWay
    },
  }
}
