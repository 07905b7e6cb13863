import { paint } from '../output/paint.ts'
import { curlLines, type ConnectionAddress } from './curl-lines.ts'
import type { StartedSandbox } from './start-sandboxes.ts'

/** What is said when the sandboxes have started; with curl lines where the connections are not made here. */
export function greeting(
  sandboxes: readonly StartedSandbox[],
  address: ConnectionAddress,
  connects: boolean,
): string {
  const widest = Math.max(...sandboxes.map(({ plugin }) => plugin.length))
  const list = sandboxes.map(
    ({ plugin, running }) => `  ${plugin.padEnd(widest)}  ${paint.strong(running.url)}`,
  )
  const one = sandboxes.length === 1 ? 'sandbox listens' : 'sandboxes listen'
  return [
    paint.good(`${sandboxes.length} ${one} on loopback, each with its state in memory`),
    ...list,
    '',
    ...(connects ? [] : byCurl(sandboxes, address)),
    "Requests are shown as they arrive. 'help' lists what you can do by hand; Ctrl-C or 'quit' ends.",
  ].join('\n')
}

function byCurl(sandboxes: readonly StartedSandbox[], address: ConnectionAddress): string[] {
  return [
    'A server that may reach them:',
    '  TOCSIN_ALLOW_PRIVATE_EGRESS=127.0.0.1 tocsin serve',
    'Their connections, with the key of an administrator in TOCSIN_KEY; --connect <url> makes them by itself:',
    '',
    ...sandboxes.flatMap((sandbox) => [curlLines(sandbox, address), '']),
  ]
}
