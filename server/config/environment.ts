import type { Environment } from './config.ts'
import { allowsVariable } from './secret-settings.ts'

/** Variables that hold credentials. */
const secretVariables: ReadonlySet<string> = new Set([
  'TOCSIN_STORE',
  'TOCSIN_MASTER_KEY',
  'TOCSIN_NEXT_MASTER_KEY',
  'TOCSIN_BOOTSTRAP_API_KEY',
  'TOCSIN_AUDIT_EXPORT_AUTHORIZATION',
  'TOCSIN_OIDC_CLIENT_SECRET',
  'TOCSIN_VAULT_TOKEN',
  'TOCSIN_VAULT_ROLE_ID',
  'TOCSIN_VAULT_SECRET_ID',
  'TOCSIN_KEY',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
])

/** The variables removed from `process.env`. */
let taken: Environment = {}

/**
 * Moves credentials from `process.env` to memory of this module, out of reach of plugins and child processes.
 * Call it before plugins are loaded; `processEnvironment` still returns them.
 */
export function hideSecretVariables(): void {
  // Names of variables are case-insensitive on Windows.
  const own = Object.keys(process.env).filter((name) => secretVariables.has(name.toUpperCase()))
  taken = { ...taken, ...Object.fromEntries(own.map((name) => [name.toUpperCase(), process.env[name]])) }
  const entries = entriesIn(process.env['TOCSIN_SECRET_VARIABLES'] ?? '')
  const ofConnections = Object.keys(process.env).filter(
    (name) => !name.startsWith('TOCSIN_') && entries.some((entry) => allowsVariable(entry, name)),
  )
  taken = { ...taken, ...Object.fromEntries(ofConnections.map((name) => [name, process.env[name]])) }
  const names = [...own, ...ofConnections]
  for (const name of names) delete process.env[name]
}

/**
 * Like `hideSecretVariables`, at the start of a command: forgets the credentials of an earlier command in
 * this process.
 */
export function takeSecretVariables(): void {
  taken = {}
  hideSecretVariables()
}

/** Of all organizations; the configuration checks them later. */
const entriesIn = (text: string): readonly string[] =>
  text
    .split(/[;,=]/)
    .map((part) => part.trim())
    .filter((part) => part.length >= 3)

/** The environment of this process, including credentials. */
export const processEnvironment = (): Environment => ({ ...process.env, ...taken })
