import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { contentHash } from '../../core/playbook/language/source-text.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { fill, type Filling } from './fill.ts'
import { dataDirIn, fiveSteps, startFiveSteps } from './five-steps.ts'
import { bestOf, cells, figureTitles, whole, type Figures } from './measure.ts'
import type { Options } from './options.ts'
import { printTable } from './print-table.ts'

interface Grown extends Figures {
  readonly bootMs: number
  /** Right after the start. */
  readonly rssMb: number
  readonly heapMb: number
  readonly fileMb: number
}

/**
 * Cost of an alert from its POST through five steps to its case, with a growing number of stored alerts and
 * waiting runs.
 */
export async function benchGrowth(options: Options): Promise<void> {
  const [least = 0] = options.stored
  const fillings = [
    ...options.stored.map((stored) => ({ stored, waiting: 0 })),
    ...options.waiting.map((waiting) => ({ stored: least, waiting })),
  ]
  const rows: string[][] = []
  let first: Grown | undefined
  for (const filling of fillings) {
    const grown = await grow(filling, options)
    first ??= grown
    rows.push([
      whole(filling.stored),
      whole(filling.waiting),
      ...cells(grown),
      (grown.cpuMs / first.cpuMs).toFixed(2),
      whole(grown.bootMs),
      whole(grown.rssMb),
      whole(grown.heapMb),
      whole(grown.fileMb),
    ])
  }
  const titles = [
    'stored',
    'waiting',
    ...figureTitles,
    'CPU ratio',
    'boot ms',
    'RSS MB',
    'heap MB',
    'file MB',
  ]
  const title = 'Growth: alerts of 2 KB over HTTP through five no-op steps to a case, at 32 connections'
  printTable(title, titles, rows)
}

async function grow(filling: Filling, { seconds, rounds }: Options): Promise<Grown> {
  const folder = await makeTemporaryFolder()
  const dataDir = dataDirIn(folder.path)
  const key = await fill(dataDir, contentHash(fiveSteps), filling)
  const { size } = await stat(join(dataDir, 'tocsin.db'))
  const tocsin = await startFiveSteps(folder.path, key)
  try {
    const { rssMb, heapMb } = await tocsin.child.ask('memory')
    await tocsin.investigate(32, Math.min(1, seconds))
    const { figures } = await bestOf(rounds, { figures: () => tocsin.investigate(32, seconds) })
    return { ...figures, bootMs: tocsin.child.said.bootMs, rssMb, heapMb, fileMb: size / 1e6 }
  } finally {
    await tocsin.child.stop()
    await folder.remove()
  }
}
