import type { StartedSandbox } from './start-sandboxes.ts'

export interface ConnectionAddress {
  readonly organization: string
  /** The API of the server, with its prefix. */
  readonly apiUrl: string
}

/** The body for POST connections. */
export const connectionBody = ({ plugin, running }: StartedSandbox, organization: string) => ({
  organization_code: organization,
  name: connectionName(plugin),
  plugin,
  settings: running.settings,
})

/** A name that no real connection has. */
export const connectionName = (plugin: string): string => `sandbox-${plugin.replaceAll('_', '-')}`

/** A curl command to paste; it reads the key from the environment. */
export function curlLines(sandbox: StartedSandbox, { organization, apiUrl }: ConnectionAddress): string {
  const body = JSON.stringify(connectionBody(sandbox, organization)).replaceAll("'", `'\\''`)
  return [
    `curl -sS ${apiUrl}/connections`,
    `-H "Cookie: Session=$TOCSIN_KEY"`,
    `-H 'Content-Type: application/json'`,
    `-d '${body}'`,
  ].join(' \\\n    ')
}
