import { Command } from 'commander'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { actByHand, peopleAskedByHand } from '../../demo/act-by-hand.ts'
import { act, scriptedPeople } from '../../demo/answer-questions.ts'
import { followIncidents } from '../../demo/follow-incidents.ts'
import { goOn, lookAround } from '../../demo/look-around.ts'
import { postAndAwait } from '../../demo/post-and-await.ts'
import { prepareDemo, demoOrganization, type DemoOptions, type RunningDemo } from '../../demo/prepare.ts'
import { isWell, report } from '../../demo/report.ts'
import { readSampleAlerts, type DemoOrganization, type Person } from '../../demo/sample-alerts.ts'
import { Exit, exitCodes } from '../../exit-codes.ts'
import { paint } from '../../output/paint.ts'
import { stopSignal } from '../../stop-signal.ts'
import type { RunningSandbox } from '../../../core/plugin/index.ts'
import { openPrompt } from '../../sandbox/open-prompt.ts'
import { talk } from '../../sandbox/talk.ts'
import { newsLines, redactorsOf, requestLine } from '../../sandbox/watch.ts'

export function demoCommand(): Command {
  return new Command('demo')
    .description(
      'post sample alerts of many providers to a server in a temporary folder, and show their cases',
    )
    .option('--keep', 'keep the server running afterwards; Ctrl-C stops and removes everything')
    .addHelpText(
      'after',
      `
Exits with 0 only if every alert was investigated as expected. With --keep, type 'help' to list what you can do in the other
systems, e.g. answer a question. TOCSIN_PLAYBOOKS_DIR sets other playbooks, TOCSIN_PLUGINS adds plugins; all other variables are
ignored.`,
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

/** Resolves to whether every alert was investigated. */
async function demo(folder: string, keep: boolean, stopped: Promise<void>): Promise<boolean> {
  const samples = await readSampleAlerts()
  const news = new News()
  const running = await prepareDemo(folder, samples, news)
  try {
    const { tocsin, api, key } = running
    console.log(
      `${paint.good('Tocsin is listening')} on ${tocsin.url}, with sandboxes of ten emulated systems`,
    )
    const peopleOf = (organization: DemoOrganization, more: readonly Person[] = []) => {
      const asked = samples.filter((sample) => sample.organization === organization)
      const scripts = [...asked.flatMap((sample) => sample.people), ...more]
      return scriptedPeople(scripts, running.sandbox('messaging', organization), api)
    }
    const people = peopleOf('demo', peopleAskedByHand)
    const others = peopleOf('second')
    const everyone = { look: () => Promise.all([people.look(), others.look()]).then(() => undefined) }
    const endpoints = running.sandbox('endpoint_security')
    const work = async () => {
      const [outcomes, incidents] = await Promise.all([
        postAndAwait(api, samples, everyone),
        followIncidents(api, running.sandbox('threat_platform')),
      ])
      // Machines must be isolated before they are released.
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

/** Receives news of the sandboxes once the prompt is open. */
class News implements DemoOptions {
  say: ((text: string) => void) | undefined
  /** Requests to show, with functions that redact their secrets. */
  watched: ReturnType<typeof redactorsOf> | undefined

  readonly onNews = (plugin: string, news: string): void => this.say?.(newsLines(plugin, news))

  readonly onAnswer = (
    plugin: string,
    request: RunningSandbox['requests'][number],
    outcome: number | string,
  ): void => {
    const redactor = this.watched?.get(plugin)
    if (redactor) this.say?.(requestLine(plugin, request, outcome, redactor))
  }
}

/** Shows events of the other systems and runs typed commands until the end. */
async function stayUp({ sandboxes, tocsin }: RunningDemo, news: News, stopped: Promise<void>): Promise<void> {
  const prompt = openPrompt()
  news.say = prompt.say
  const redactors = redactorsOf(sandboxes, tocsin.catalogue)
  const options = {
    organization: demoOrganization.code,
    apiUrl: tocsin.apiUrl,
    watch: (isOn: boolean) => void (news.watched = isOn ? redactors : undefined),
  }
  await Promise.race([talk(prompt, sandboxes, options), stopped])
  news.say = undefined
  prompt.close()
}
