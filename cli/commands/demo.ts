import { Command } from 'commander'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { apiClient } from '../api-client.ts'
import { postAndAwait } from '../demo/post-and-await.ts'
import { prepareDemo } from '../demo/prepare.ts'
import { report } from '../demo/report.ts'
import { readSampleAlerts } from '../demo/sample-alerts.ts'
import { Exit, exitCodes } from '../exit-codes.ts'
import { paint } from '../output/paint.ts'
import { stopSignal } from '../stop-signal.ts'

/** `tocsin demo`: everything embedded, real sample alerts, and what became of them. */
export function demoCommand(): Command {
  return new Command('demo')
    .description('post sample alerts of many makers to a server in a temporary folder, and show their cases')
    .option('--keep', 'stay up afterwards, to look around; Ctrl-C stops and removes everything')
    .addHelpText(
      'after',
      `
Exits 0 only if every alert was investigated. TOCSIN_PLAYBOOKS_DIR names other playbooks to try it with, TOCSIN_PLUGINS further
plugins; the rest of the environment does not count.`,
    )
    .action(async (options: { keep?: boolean }) => {
      const folder = await mkdtemp(join(tmpdir(), 'tocsin-demo-'))
      try {
        const investigated = await demo(folder, options.keep === true, stopSignal())
        if (!investigated) throw new Exit(exitCodes.failed)
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    })
}

/** Resolves to whether every alert was investigated; an interruption comes before the last one was. */
async function demo(folder: string, keep: boolean, stopped: Promise<void>): Promise<boolean> {
  const samples = await readSampleAlerts()
  const running = await prepareDemo(folder, samples)
  try {
    const { tocsin } = running
    const api = apiClient(tocsin.apiUrl, running.key)
    console.log(`${paint.good('Tocsin is listening')} on ${tocsin.url}, its data in ${folder}`)
    const outcomes = await Promise.race([postAndAwait(api, samples), stopped])
    if (outcomes === undefined) return false
    console.log(report(outcomes, { apiUrl: tocsin.apiUrl, key: running.key, keep }))
    if (keep) await stopped
    return outcomes.every((outcome) => outcome.status === 'Completed')
  } finally {
    await running.close()
  }
}
