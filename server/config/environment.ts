import type { Environment } from './config.ts'

/** Variables that hold credentials. */
const secretVariables: ReadonlySet<string> = new Set([
  'TOCSIN_MASTER_KEY',
  'TOCSIN_NEXT_MASTER_KEY',
  'TOCSIN_BOOTSTRAP_API_KEY',
  'TOCSIN_AUDIT_EXPORT_AUTHORIZATION',
  'TOCSIN_KEY',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
])

/** What was in the environment under these names. */
let taken: Environment = {}

/**
 * Moves credentials from `process.env` to memory of this module, so that neither plugins nor child processes read them there. To be called
 * before anything loads a plugin; `processEnvironment` still has them.
 */
export function hideSecretVariables(): void {
  // On Windows, names of variables have no letter case.
  const names = Object.keys(process.env).filter((name) => secretVariables.has(name.toUpperCase()))
  taken = { ...taken, ...Object.fromEntries(names.map((name) => [name.toUpperCase(), process.env[name]])) }
  for (const name of names) delete process.env[name]
}

/** As `hideSecretVariables`, for the start of a command: forgets what an earlier command of this process was given. */
export function takeSecretVariables(): void {
  taken = {}
  hideSecretVariables()
}

/** The environment of this process, with its credentials. */
export const processEnvironment = (): Environment => ({ ...process.env, ...taken })
