import type { StartedSandbox } from './start-sandboxes.ts'

export interface ConnectionAddress {
  readonly organization: string
  /** Of the server, with its prefix. */
  readonly apiUrl: string
}

/** What POST connections is sent: the settings that an operator would type in. */
export const connectionBody = ({ plugin, running }: StartedSandbox, organization: string) => ({
  organization_code: organization,
  name: connectionName(plugin),
  plugin,
  settings: running.settings,
})

/** A name that no connection to a real system has. */
export const connectionName = (plugin: string): string => `sandbox-${plugin.replaceAll('_', '-')}`

/** A command that works when it is pasted; the key stands in the environment. */
export function curlLines(sandbox: StartedSandbox, { organization, apiUrl }: ConnectionAddress): string {
  const body = JSON.stringify(connectionBody(sandbox, organization)).replaceAll("'", `'\\''`)
  return [
    `curl -sS ${apiUrl}/connections`,
    `-H "Cookie: Session=$TOCSIN_KEY"`,
    `-H 'Content-Type: application/json'`,
    `-d '${body}'`,
  ].join(' \\\n    ')
}
