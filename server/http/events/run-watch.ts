import type { ChangeSource } from '../../../core/domain/change.ts'

/** Calls back for every change of the run; returns a function that stops it. */
export type WatchRun = (uuid: string, onChange: () => void) => () => void

/** Looks at each change once, for any number of watched runs. */
export function createRunWatch(changes: ChangeSource): WatchRun {
  const watchers = new Map<string, Set<() => void>>()
  let stop = (): void => undefined

  return (uuid, onChange) => {
    if (watchers.size === 0) {
      stop = changes.listen((changed) => {
        for (const { kind, id } of changed) {
          if (kind !== 'run') continue
          const uuid = id()
          const called =
            uuid === undefined ? [...watchers.values()].flatMap((calls) => [...calls]) : watchers.get(uuid)
          for (const call of called ?? []) call()
        }
      })
    }
    const ofRun = watchers.get(uuid) ?? new Set()
    watchers.set(uuid, ofRun.add(onChange))
    return () => {
      if (!ofRun.delete(onChange) || ofRun.size > 0) return
      watchers.delete(uuid)
      if (watchers.size === 0) stop()
    }
  }
}
