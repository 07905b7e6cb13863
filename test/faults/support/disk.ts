import type { FileCall } from './strace.ts'

type Change = Extract<FileCall, { readonly call: 'write' | 'truncate' }>

/**
 * A model of a disk: synced data is certain, later writes may be lost. Built from the system calls of a
 * process.
 */
export class Disk {
  readonly #durable = new Map<string, Buffer>()
  readonly #since = new Map<string, Change[]>()

  /** @param files initial durable contents */
  constructor(files: ReadonlyMap<string, Buffer>) {
    for (const [path, bytes] of files) this.#durable.set(path, bytes)
  }

  apply(change: FileCall): void {
    if (change.call === 'print') return
    const since = this.#since.get(change.path) ?? []
    this.#since.set(change.path, since)
    if (change.call !== 'sync') return void since.push(change)
    if (since.length === 0) return
    this.#durable.set(change.path, changed(this.#durable.get(change.path), since))
    this.#since.set(change.path, [])
  }

  /**
   * The files after a power cut now. `keeps` is the share of each unsynced change that reached the disk, in
   * any order: none (0) to all (1), in sectors of 512 bytes.
   */
  afterPowerCut(keeps: () => number): ReadonlyMap<string, Buffer> {
    const paths = new Set([...this.#durable.keys(), ...this.#since.keys()])
    const files = [...paths].flatMap((path) => {
      const kept = (this.#since.get(path) ?? []).flatMap((change) => part(change, keeps()))
      const durable = this.#durable.get(path)
      if (durable === undefined && kept.length === 0) return []
      return [[path, changed(durable, kept)] as const]
    })
    return new Map(files)
  }
}

function part(change: Change, share: number): readonly Change[] {
  if (share === 0) return []
  if (change.call === 'truncate' || share === 1) return [change]
  const size = Math.ceil((change.bytes.length * share) / 512) * 512
  return [{ ...change, bytes: change.bytes.subarray(0, size) }]
}

function changed(before: Buffer | undefined, changes: readonly Change[]): Buffer {
  let size = before?.length ?? 0
  const largest = changes.map((change) =>
    change.call === 'write' ? change.at + change.bytes.length : change.size,
  )
  const bytes = Buffer.alloc(Math.max(size, 0, ...largest))
  before?.copy(bytes)
  for (const change of changes) {
    if (change.call === 'write') {
      change.bytes.copy(bytes, change.at)
      size = Math.max(size, change.at + change.bytes.length)
    } else {
      if (change.size < size) bytes.fill(0, change.size)
      size = change.size
    }
  }
  return bytes.subarray(0, size)
}
