import { spawnSync } from 'node:child_process'

/** The official linter is part of Prometheus. */
export const hasPromtool = spawnSync('promtool', ['--version']).status === 0

/** The output of `promtool check metrics`; empty if there are no problems. */
export function checkMetrics(text: string): string {
  const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], {
    input: text,
    encoding: 'utf8',
  })
  return status === 0 ? '' : `${stdout}${stderr}` || `promtool ended with ${status}`
}
