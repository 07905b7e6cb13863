import type { ServedSandbox } from '../../core/plugin/testing/index.ts'
import { TocsinError, type RunningSandbox } from '../../core/plugin/index.ts'
import { loadSandbox } from '../../core/registry/load-sandbox.ts'
import type { PluginSources } from '../../core/registry/plugin-modules.ts'

/** A started sandbox. Those of the test kit can be told to fail. */
export interface StartedSandbox {
  readonly plugin: string
  readonly running: RunningSandbox &
    Partial<Pick<ServedSandbox, 'failNext' | 'limitRate' | 'stopFailing' | 'faults'>>
}

export interface StartOptions extends PluginSources {
  /** Names of plugins with a sandbox. */
  readonly plugins: readonly string[]
  /** Port of the first sandbox; the others follow. Default 0: free ports. */
  readonly firstPort?: number
  readonly onAnswer?: (plugin: string, request: Request, outcome: number | string) => void
  readonly onNews?: (plugin: string, news: string) => void
}

type Request = RunningSandbox['requests'][number]

/**
 * Starts all of them, or none.
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
      `the sandbox of ${plugin} cannot use port ${port}: another program listens there`,
      {
        cause,
        hint: 'choose another --port, or omit it to use free ports',
      },
    )
  }
}
