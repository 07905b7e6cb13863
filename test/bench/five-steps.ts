import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { alertBody } from './alert-body.ts'
import { startChild, type Child } from './child.ts'
import type { Way } from './compare.ts'
import { post } from './load.ts'

const alertType = 'suspicious_sign_in'

/** Five steps that compute one value each: every result is journaled, no other system is called. */
export const fiveSteps = `apiVersion: tocsin/v1
name: five-steps
description: Five steps without an effect.
on: { manual: true, alert: { type: ${alertType} } }
steps:
${[1, 2, 3, 4, 5].map((n) => `  - { id: s${n}, set: { value: ${n} } }`).join('\n')}
`

const body = alertBody(1, 2_048, alertType)

export interface FiveStepsServer {
  readonly child: Child<{
    url: string
    opsUrl?: string
    apiUrl: string
    key: string | undefined
    bootMs: number
  }>
  /** Sends alerts and waits until each has been investigated. */
  readonly investigate: Way
}

/** Tocsin with that playbook, on a data directory below this folder. */
export async function startFiveSteps(
  folder: string,
  key?: string,
  env: Readonly<Record<string, string>> = {},
): Promise<FiveStepsServer> {
  const playbooks = join(folder, 'playbooks')
  await mkdir(playbooks)
  await writeFile(join(playbooks, 'five-steps.yaml'), fiveSteps)
  const child = await startChild<FiveStepsServer['child']['said']>('tocsin-server.ts', {
    TOCSIN_DATA_DIR: dataDirIn(folder),
    TOCSIN_PLAYBOOKS_DIR: playbooks,
    ...env,
  })
  const cookie = `Session=${key ?? child.said.key}`
  const headers = { 'content-type': 'application/json', cookie, prefer: 'wait=30' }
  const url = `${child.said.apiUrl}/alerts`
  return {
    child,
    investigate: (connections, seconds) =>
      post({ url, headers, body, connections, seconds, usage: () => child.ask('usage') }),
  }
}

export const dataDirIn = (folder: string): string => join(folder, 'data')

/** The same alert, sent to a server that only stores it. */
export const postTo =
  (child: Child<unknown>, url: string): Way =>
  (connections, seconds) =>
    post({
      url,
      headers: { 'content-type': 'application/json' },
      body,
      connections,
      seconds,
      usage: () => child.ask('usage'),
    })
