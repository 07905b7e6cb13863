import type { get } from '../../api/call.ts'
import type { Page } from '../../api/types.ts'
import { checkpointStates, type Checkpoint } from '../checkpoint.ts'

/** Where many are asked for: those that ended by an answer first. */
const ends = Object.keys(checkpointStates).filter((state) => state !== 'waiting')

type Get = typeof get

interface Wanted {
  readonly resolve: (checkpoint: Checkpoint) => void
  readonly reject: (error: unknown) => void
}

/**
 * Gets questions that ended, one request at a time: many that are asked for at once come from the lists, and by
 * themselves only those that the lists do not begin with.
 */
export function loadTogether(ask: Get): (id: string) => Promise<Checkpoint> {
  let wanted = new Map<string, Wanted[]>()
  let last = Promise.resolve()
  const begin = (): void => {
    const now = wanted
    wanted = new Map()
    last = last.then(() => loadAll(ask, now))
  }
  return (id) =>
    new Promise((resolve, reject) => {
      if (wanted.size === 0) setTimeout(begin)
      wanted.set(id, [...(wanted.get(id) ?? []), { resolve, reject }])
    })
}

async function loadAll(ask: Get, wanted: Map<string, Wanted[]>): Promise<void> {
  const settle = (id: string, how: (one: Wanted) => void): void => {
    for (const one of wanted.get(id) ?? []) how(one)
    wanted.delete(id)
  }
  for (const state of ends) {
    if (wanted.size < 2) break
    // Where a list is refused, they are asked for by themselves.
    // oxlint-disable-next-line no-await-in-loop -- one request at a time: there is no hurry
    const page = await ask<Page<Checkpoint>>('/checkpoints', { state, limit: 200 }).catch(() => undefined)
    for (const found of page?.data ?? []) settle(found.checkpoint_id, ({ resolve }) => resolve(found))
  }
  for (const id of wanted.keys()) {
    try {
      const path = `/checkpoints/${encodeURIComponent(id)}`
      // oxlint-disable-next-line no-await-in-loop -- as above
      const { checkpoint } = await ask<{ readonly checkpoint: Checkpoint }>(path)
      settle(id, ({ resolve }) => resolve(checkpoint))
    } catch (error) {
      settle(id, ({ reject }) => reject(error))
    }
  }
}
