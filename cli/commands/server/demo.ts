import { Command } from 'commander'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { actByHand, peopleAskedByHand } from '../../demo/act-by-hand.ts'
import { act, scriptedPeople } from '../../demo/answer-questions.ts'
import { followIncidents } from '../../demo/follow-incidents.ts'
import { goOn, lookAround } from '../../demo/look-around.ts'
import { News, stayUp } from '../../demo/stay-up.ts'
import { postAndAwait } from '../../demo/post-and-await.ts'
import { prepareDemo } from '../../demo/prepare.ts'
import { isWell, report } from '../../demo/report.ts'
import { readSampleAlerts } from '../../demo/sample-alerts.ts'
import { Exit, exitCodes } from '../../exit-codes.ts'
import { paint } from '../../output/paint.ts'
import { stopSignal } from '../../stop-signal.ts'

/** `tocsin demo`: everything embedded, real sample alerts, and what became of them. */
export function demoCommand(): Command {
  return new Command('demo')
    .description('post sample alerts of many makers to a server in a temporary folder, and show their cases')
    .option('--keep', 'stay up afterwards, to look around; Ctrl-C stops and removes everything')
    .addHelpText(
      'after',
      `
Exits 0 only if every alert was investigated as it should be. With --keep, 'help' at the prompt lists what you can do by hand in the other
systems, e.g. answer a question. TOCSIN_PLAYBOOKS_DIR names other playbooks to try it with, TOCSIN_PLUGINS further
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
  const news = new News()
  const running = await prepareDemo(folder, samples, news)
  try {
    const { tocsin, api, key } = running
    console.log(
      `${paint.good('Tocsin is listening')} on ${tocsin.url}, with sandboxes of five other systems behind it`,
    )
    const asked = [...samples.flatMap((sample) => sample.people), ...peopleAskedByHand]
    const people = scriptedPeople(asked, running.sandbox('messaging'), api)
    const endpoints = running.sandbox('endpoint_security')
    const work = async () => {
      const [outcomes, incidents] = await Promise.all([
        postAndAwait(api, samples, people),
        followIncidents(api, running.sandbox('threat_platform')),
      ])
      // Nobody is released before they are isolated.
      await act(endpoints, 'finish')
      return { outcomes, incidents, byHand: await actByHand(api, people) }
    }
    const done = await Promise.race([work(), stopped])
    if (done === undefined) return false
    const { outcomes, ...besides } = done
    const actions = await act(endpoints, 'actions')
    console.log(report(outcomes, { ...besides, actions }))
    console.log(keep ? lookAround(tocsin.apiUrl, key, outcomes) : goOn())
    if (keep) await stayUp(running, news, stopped)
    return isWell(outcomes, besides)
  } finally {
    await running.close()
  }
}
