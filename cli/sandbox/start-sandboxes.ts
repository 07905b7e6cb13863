import type { ServedSandbox } from '../../core/plugin/testing/index.ts'
import { TocsinError, type RunningSandbox } from '../../core/plugin/index.ts'
import { loadSandbox } from '../../core/registry/load-sandbox.ts'
import type { PluginSources } from '../../core/registry/plugin-modules.ts'

/** The sandbox of a plugin, started. Those that the test kit serves can be told to fail. */
export interface StartedSandbox {
  /** Name of the plugin. */
  readonly plugin: string
  readonly running: RunningSandbox &
    Partial<Pick<ServedSandbox, 'failNext' | 'limitRate' | 'stopFailing' | 'faults'>>
}

export interface StartOptions extends PluginSources {
  /** Names of plugins. Each must have a sandbox. */
  readonly plugins: readonly string[]
  /** Of the first sandbox; the others count up. Default 0: any free ones. */
  readonly firstPort?: number
  readonly onAnswer?: (plugin: string, request: Request, outcome: number | string) => void
  readonly onNews?: (plugin: string, news: string) => void
}

type Request = RunningSandbox['requests'][number]

/**
 * Starts them all, or none.
 *
 * @throws TocsinError `port_taken`
 */
export async function startSandboxes(options: StartOptions): Promise<readonly StartedSandbox[]> {
  const started: StartedSandbox[] = []
  try {
    for (const [index, plugin] of options.plugins.entries())
      started.push({ plugin, running: await start(plugin, index, options) })
    return started
  } catch (error) {
    await closeSandboxes(started)
    throw error
  }
}

export async function closeSandboxes(started: readonly StartedSandbox[]): Promise<void> {
  await Promise.all(started.map(({ running }) => running.close()))
}

async function start(plugin: string, index: number, options: StartOptions): Promise<RunningSandbox> {
  const { firstPort = 0, onAnswer, onNews } = options
  const definition = await loadSandbox(options, plugin)
  if (definition === undefined) throw new Error(`the plugin ${plugin} has no sandbox`)
  const port = firstPort === 0 ? 0 : firstPort + index
  try {
    return await definition.start({
      port,
      ...(onAnswer && { onAnswer: (request, outcome) => onAnswer(plugin, request, outcome) }),
      ...(onNews && { onNews: (news) => onNews(plugin, news) }),
    })
  } catch (cause) {
    if ((cause as { code?: unknown }).code !== 'EADDRINUSE') throw cause
    throw new TocsinError(
      'port_taken',
      `the sandbox of ${plugin} cannot have port ${port}: another program listens there`,
      {
        cause,
        hint: 'choose another --port, or leave it out for free ones',
      },
    )
  }
}
