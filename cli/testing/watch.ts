import { watch } from 'node:fs'
import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Editors write a file in several steps: changes closer together than this are one. */
const settleMs = 100

/** Runs `work` now and after every change of a YAML file at the paths, one at a time, until `stopped` resolves. */
export async function repeatOnChange(
  paths: readonly string[],
  work: () => Promise<void>,
  stopped: Promise<void>,
): Promise<void> {
  const folders = await Promise.all(
    paths.map(async (path) => ((await stat(path)).isDirectory() ? path : dirname(path))),
  )
  const end = new AbortController()
  let wake = () => {}
  let changed = new Promise<void>((resolve) => (wake = resolve))
  let timer: NodeJS.Timeout | undefined
  const onChange = (_event: string, name: string | null) => {
    if (name !== null && !/\.ya?ml$/.test(name)) return
    clearTimeout(timer)
    timer = setTimeout(() => wake(), settleMs)
  }
  const watchers = [...new Set(folders)].map((folder) => watch(folder, { recursive: true }, onChange))
  end.signal.addEventListener('abort', () => wake())
  void stopped.then(() => end.abort())
  try {
    while (!end.signal.aborted) {
      await work()
      await changed
      changed = new Promise<void>((resolve) => (wake = resolve))
    }
  } finally {
    clearTimeout(timer)
    for (const watcher of watchers) watcher.close()
  }
}
