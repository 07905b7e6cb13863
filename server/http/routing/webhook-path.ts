/** Below the prefix: where the other system of a plugin's connections sends to. */
export function webhookPath(plugin: string, route: string): string {
  return `/webhooks/${plugin.replaceAll('_', '-')}/v1/${route}`
}
