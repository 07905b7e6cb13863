import { readFileSync } from 'node:fs'
import { ValidationError } from '../../core/errors/errors.ts'
import { Secret } from '../../core/plugin/index.ts'
import type { Log } from '../../core/ports/log.ts'
import type { SecretSource } from '../../core/ports/secret-source.ts'
import type { Config } from '../config/config.ts'
import { processEnvironment } from '../config/environment.ts'
import { parseOperatorReference } from '../config/operator-reference.ts'
import type { VaultSettings } from '../config/secret-settings.ts'
import type { CodeOf } from '../egress/allow-lists.ts'
import { createEgress } from '../egress/egress.ts'
import { createSecretSources } from './sources/secret-sources.ts'
import { readSecretFile } from './sources/secret-file.ts'
import { Unresolved } from './sources/unresolved.ts'
import { createVaultHttp } from './vault/vault-http.ts'
import { createVaultReader, type VaultReader } from './vault/vault-reader.ts'
import { VaultSession } from './vault/vault-session.ts'

export interface OpenSourcesOptions {
  readonly config: Pick<Config, 'secrets'>
  readonly codeOf: CodeOf
  /** Default: none. */
  readonly log?: Log
  /** Called with every value and every token of Vault. Default: none. */
  readonly onSecret?: (secret: string) => void
}

export interface OpenSources extends SecretSource {
  close(): void
}

/**
 * The sources of secrets that connections refer to. Nothing is asked before the first use.
 *
 * @throws ValidationError `config_invalid` if the certificates of Vault cannot be read
 */
export function openSecretSources({
  config,
  codeOf,
  log = silent,
  onSecret = () => {},
}: OpenSourcesOptions): OpenSources {
  const { secrets: settings } = config
  const vault = settings.vault && openVault(settings.vault, log, onSecret)
  const environment = processEnvironment()
  const source = createSecretSources({ settings, environment, codeOf, vault, onSecret })
  return { read: (...given) => source.read(...given), close: () => vault?.close() }
}

/** The same line at most once in this time. */
const quietMs = 60_000

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} }

interface OpenVault extends VaultReader {
  close(): void
}

function openVault(settings: VaultSettings, log: Log, onSecret: (secret: string) => void): OpenVault {
  const { addresses, caFile, auth } = settings
  const hosts = addresses.map((address) => hostOf(new URL(address)))
  // The operator names Vault, so its address may be private; nothing else is reachable this way.
  const egress = createEgress({
    allowPrivate: hosts,
    ca: caFile === undefined ? undefined : certificates(caFile),
  })
  const lastAt = new Map<string, number>()
  const warn = (fields: Readonly<Record<string, unknown>>, message: string): void => {
    const line = `${message} ${JSON.stringify(fields)}`
    const now = performance.now()
    if (now - (lastAt.get(line) ?? -Infinity) < quietMs) return
    if (lastAt.size >= 100) lastAt.clear()
    lastAt.set(line, now)
    log.warn(fields, message)
  }
  const http = createVaultHttp({
    settings,
    egress,
    onTrouble: (address, reason) => warn({ address, reason }, 'Vault does not answer'),
  })
  const session = new VaultSession({ auth, http, onSecret })
  const reader = createVaultReader({
    settings,
    http,
    session,
    onGrace: (path, reason) =>
      warn({ path, reason }, 'using a secret read before, because Vault does not answer'),
  })
  return {
    ...reader,
    close() {
      session.close()
      egress.close()
    },
  }
}

const hostOf = ({ hostname, port, protocol }: URL): string =>
  `${hostname}:${port === '' ? (protocol === 'https:' ? 443 : 80) : port}`

function certificates(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw invalid('TOCSIN_VAULT_CA_FILE', `cannot be read: ${(cause as Error).message}`, 'correct the path')
  }
}

/**
 * The configuration with the master keys themselves, if they are references. Does nothing the second time.
 *
 * @throws ValidationError `config_invalid`, without the keys
 */
export async function withMasterKey<C extends Pick<Config, 'masterKey' | 'nextMasterKey' | 'secrets'>>(
  config: C,
  log: Log = silent,
): Promise<C> {
  return {
    ...config,
    masterKey: await readOperatorSecret(config, 'TOCSIN_MASTER_KEY', config.masterKey, log),
    nextMasterKey: await readOperatorSecret(config, 'TOCSIN_NEXT_MASTER_KEY', config.nextMasterKey, log),
  }
}

/**
 * A secret of the operator, or the one that it refers to.
 *
 * @throws ValidationError `config_invalid`, without the secret
 */
export async function readOperatorSecret(
  { secrets }: Pick<Config, 'secrets'>,
  name: string,
  given: Secret | undefined,
  log: Log = silent,
): Promise<Secret | undefined> {
  const reference = given && parseOperatorReference(given.reveal())
  if (reference === undefined) return given
  try {
    if (reference.source === 'file') return new Secret(await readSecretFile(reference.path))
    if (secrets.vault === undefined)
      throw new Unresolved('Vault is not configured', 'set TOCSIN_VAULT_ADDRESS')
    const vault = openVault(secrets.vault, log, () => {})
    try {
      return new Secret(await vault.read(reference.path, reference.key, { isRefused: false }))
    } finally {
      vault.close()
    }
  } catch (error) {
    if (!(error instanceof Unresolved)) throw error
    throw invalid(name, `refers to ${reference.text}, which cannot be read: ${error.message}`, error.hint)
  }
}

function invalid(name: string, message: string, hint: string): ValidationError {
  return new ValidationError('config_invalid', `${name} ${message}`, [{ pointer: `/${name}`, message }], {
    hint,
  })
}
