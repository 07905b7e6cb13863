import { mkdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { table } from '../../cli/output/table.ts'
import { contentHash } from '../../core/playbook/content-hash.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { alertBody } from './alert-body.ts'
import { startChild } from './child.ts'
import { fill, type Filling } from './fill.ts'
import { post } from './load.ts'
import { cells, figureTitles, whole, type Figures } from './measure.ts'

const type = 'suspicious_sign_in'

/** Five steps that compute a value each. */
const playbook = `apiVersion: tocsin/v1
name: five-steps
description: Five steps without an effect.
on: { alert: { type: ${type} } }
steps:
${[1, 2, 3, 4, 5].map((n) => `  - { id: s${n}, set: { value: ${n} } }`).join('\n')}
`

interface Grown extends Figures {
  readonly bootMs: number
  /** Right after the start. */
  readonly rssMb: number
  readonly heapMb: number
  readonly fileMb: number
}

/** What an alert costs, from its post through five steps to its case, with ever more alerts stored, and with runs that wait. */
export async function benchGrowth(options: {
  seconds: number
  stored: readonly number[]
  waiting: readonly number[]
}): Promise<void> {
  const [least = 0] = options.stored
  const fillings = [
    ...options.stored.map((stored) => ({ stored, waiting: 0 })),
    ...options.waiting.map((waiting) => ({ stored: least, waiting })),
  ]
  const rows: string[][] = []
  let first: Grown | undefined
  for (const filling of fillings) {
    const grown = await grow(filling, options.seconds)
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
    'STORED',
    'WAITING',
    ...figureTitles,
    'CPU RATIO',
    'BOOT MS',
    'RSS MB',
    'HEAP MB',
    'FILE MB',
  ]
  console.log('\nGrowth: alerts of 2 KB over HTTP through five no-op steps to a case, at 32 connections\n')
  console.log(table(titles, rows))
}

async function grow(filling: Filling, seconds: number): Promise<Grown> {
  const folder = await makeTemporaryFolder()
  const playbooks = join(folder.path, 'playbooks')
  const dataDir = join(folder.path, 'data')
  await mkdir(playbooks)
  await writeFile(join(playbooks, 'five-steps.yaml'), playbook)
  const key = await fill(dataDir, contentHash(playbook), filling)
  const { size } = await stat(join(dataDir, 'tocsin.db'))
  const tocsin = await startChild<{ apiUrl: string; bootMs: number }>('tocsin-server.ts', {
    TOCSIN_DATA_DIR: dataDir,
    TOCSIN_PLAYBOOKS_DIR: playbooks,
  })
  try {
    const { rssMb, heapMb } = await tocsin.ask('memory')
    const headers = { 'content-type': 'application/json', cookie: `Session=${key}`, prefer: 'wait=30' }
    const body = alertBody(1, 2_048, type)
    const load = {
      url: `${tocsin.said.apiUrl}/alerts`,
      headers,
      body,
      connections: 32,
      usage: () => tocsin.ask('usage'),
    }
    await post({ ...load, seconds: Math.min(1, seconds) })
    const figures = await post({ ...load, seconds })
    return { ...figures, bootMs: tocsin.said.bootMs, rssMb, heapMb, fileMb: size / 1e6 }
  } finally {
    await tocsin.stop()
    await folder.remove()
  }
}
