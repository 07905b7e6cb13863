import type { RunningSandbox } from '../../core/plugin/index.ts'
import { openPrompt } from '../sandbox/open-prompt.ts'
import { talk } from '../sandbox/talk.ts'
import { newsLines, requestLine } from '../sandbox/watch.ts'
import { demoOrganization, type DemoOptions, type RunningDemo } from './prepare.ts'

/** Where news of the sandboxes goes: nowhere, until somebody sits there. */
export class News implements DemoOptions {
  say: ((text: string) => void) | undefined
  watchesRequests = false

  readonly onNews = (plugin: string, news: string): void => this.say?.(newsLines(plugin, news))

  readonly onAnswer = (
    plugin: string,
    request: RunningSandbox['requests'][number],
    outcome: number | string,
  ): void => {
    if (this.watchesRequests) this.say?.(requestLine(plugin, request, outcome, undefined))
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
  const options = {
    organization: demoOrganization.code,
    apiUrl: tocsin.apiUrl,
    watch: (isOn: boolean) => void (news.watchesRequests = isOn),
  }
  await Promise.race([talk(prompt, sandboxes, options), stopped])
  news.say = undefined
  prompt.close()
}
