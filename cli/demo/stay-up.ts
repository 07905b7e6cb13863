import type { RunningSandbox } from '../../core/plugin/index.ts'
import { openPrompt } from '../sandbox/open-prompt.ts'
import { talk } from '../sandbox/talk.ts'
import { newsLines, redactorsOf, requestLine } from '../sandbox/watch.ts'
import { demoOrganization, type DemoOptions, type RunningDemo } from './prepare.ts'

/** Where news of the sandboxes goes: nowhere, until somebody sits there. */
export class News implements DemoOptions {
  say: ((text: string) => void) | undefined
  /** Whose requests are shown, with what keeps their secrets out of sight. */
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

/** Shows what happens in the other systems, and does what is typed, until the end is near. */
export async function stayUp(
  { sandboxes, tocsin }: RunningDemo,
  news: News,
  stopped: Promise<void>,
): Promise<void> {
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
