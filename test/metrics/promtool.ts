import { spawnSync } from 'node:child_process'

/** The linter of the makers of the format comes with Prometheus. */
export const hasPromtool = spawnSync('promtool', ['--version']).status === 0

/** What `promtool check metrics` says; empty where all is well. */
export function checkMetrics(text: string): string {
  const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], {
    input: text,
    encoding: 'utf8',
  })
  return status === 0 ? '' : `${stdout}${stderr}` || `promtool ended with ${status}`
}
