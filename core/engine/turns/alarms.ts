import type { Clock } from '../../ports/clock.ts'

/** Wall-clock alarms for any number of items with a single timer. */
export interface Alarms<T> {
  set(atMs: number, item: T): void
  clear(): void
  readonly size: number
}

interface Alarm<T> {
  readonly atMs: number
  readonly item: T
}

/** The system clock can be set while a timer runs, so it is read at least this often. */
const longestNapMs = 5 * 60_000

/** Calls `ring` once per item when its time has come, earliest first. */
export function createAlarms<T>(clock: Clock, ring: (item: T) => void): Alarms<T> {
  const heap: Alarm<T>[] = []
  let nap: AbortController | undefined

  function ringWhatIsDue(): void {
    while (heap[0] !== undefined && heap[0].atMs <= clock.now()) ring(pop(heap).item)
    sleepUntilNext()
  }

  function sleepUntilNext(): void {
    nap?.abort()
    nap = undefined
    const next = heap[0]
    if (next === undefined) return
    const mine = new AbortController()
    nap = mine
    const ms = Math.min(Math.max(0, next.atMs - clock.now()), longestNapMs)
    clock.sleep(ms, mine.signal).then(
      () => void (mine === nap && ringWhatIsDue()),
      () => {}, // an earlier alarm was set, or all were cleared
    )
  }

  return {
    set(atMs, item) {
      push(heap, { atMs, item })
      if (heap[0]?.item === item) sleepUntilNext()
    },
    clear() {
      heap.length = 0
      sleepUntilNext()
    },
    get size() {
      return heap.length
    },
  }
}

/** Inserts into a binary heap. */
function push<T>(heap: Alarm<T>[], alarm: Alarm<T>): void {
  let at = heap.push(alarm) - 1
  while (at > 0) {
    const parent = (at - 1) >> 1
    if (heap[parent]!.atMs <= alarm.atMs) break
    heap[at] = heap[parent]!
    at = parent
  }
  heap[at] = alarm
}

/** Removes the earliest alarm of a non-empty heap. */
function pop<T>(heap: Alarm<T>[]): Alarm<T> {
  const first = heap[0]!
  const last = heap.pop()!
  if (heap.length === 0) return first
  let at = 0
  for (;;) {
    let child = 2 * at + 1
    if (child >= heap.length) break
    if (child + 1 < heap.length && heap[child + 1]!.atMs < heap[child]!.atMs) child++
    if (heap[child]!.atMs >= last.atMs) break
    heap[at] = heap[child]!
    at = child
  }
  heap[at] = last
  return first
}
