import { Secret } from '../../../core/plugin/index.ts'
import type { SecretReference } from '../../../core/skill/connection/secret-reference.ts'
import type { SecretSource } from '../../../core/ports/secret-source.ts'
import { untilAborted } from '../../../core/skill/http/until-aborted.ts'
import type { Environment } from '../../config/config.ts'
import { allowsVariable, organizationMark, type SecretSettings } from '../../config/secret-settings.ts'
import type { CodeOf } from '../../egress/allow-lists.ts'
import type { ReadOptions, VaultReader } from '../vault/vault-reader.ts'
import { readFileBelow } from './secret-file.ts'
import { asReadError, Unresolved } from './unresolved.ts'

export interface SecretSourcesOptions {
  readonly settings: SecretSettings
  /** Where `env:` is looked up, if the settings allow the name. */
  readonly environment: Environment
  readonly codeOf: CodeOf
  /** Undefined: there is no Vault. */
  readonly vault: Pick<VaultReader, 'read'> | undefined
  /** Called with every value that is read. */
  readonly onSecret: (secret: string) => void
}

/** Shorter values cannot be redacted reliably; see `usableSettings`. */
const shortest = 8

/** The sources that the operator has configured. An organization reads its own area alone. */
export function createSecretSources(options: SecretSourcesOptions): SecretSource {
  const { codeOf, onSecret } = options
  // Codes never change.
  const codes = new Map<string, string>()
  const codeIn = async (organizationUuid: string): Promise<string> => {
    const code = codes.get(organizationUuid) ?? (await codeOf(organizationUuid))?.toLowerCase()
    if (code === undefined) throw new Unresolved('the organization does not exist', 'create it again')
    codes.set(organizationUuid, code)
    return code
  }
  return {
    async read(organizationUuid, reference, { signal, isRefused = false }) {
      try {
        const code = await codeIn(organizationUuid)
        const text = await untilAborted(valueOf(options, code, reference, { isRefused }), signal)
        if (text.length < shortest)
          throw new Unresolved(
            `it has fewer than ${shortest} characters, which cannot be redacted reliably`,
            'check that the source holds the secret itself',
          )
        onSecret(text)
        return new Secret(text)
      } catch (error) {
        throw asReadError(reference.text, error)
      }
    },
  }
}

async function valueOf(
  { settings, environment, vault }: SecretSourcesOptions,
  code: string,
  reference: SecretReference,
  how: ReadOptions,
): Promise<string> {
  if (reference.source === 'env') return variable(settings, environment, code, reference.name)
  if (reference.source === 'file') {
    if (settings.folder === undefined) throw notConfigured('files', 'TOCSIN_SECRETS_DIR')
    return await readFileBelow(areaOf(settings.folder, code), reference.path)
  }
  if (settings.vault === undefined || vault === undefined)
    throw notConfigured('Vault', 'TOCSIN_VAULT_ADDRESS')
  const path = [...areaOf(settings.vault.path, code).split('/'), ...reference.path]
  return await vault.read(path, reference.key, how)
}

const areaOf = (template: string, code: string): string => template.replace(organizationMark, () => code)

function variable(
  { variables }: SecretSettings,
  environment: Environment,
  code: string,
  name: string,
): string {
  const allowed = variables?.organizations.get(code) ?? variables?.everyone ?? []
  const value = environment[name]
  // The message is the same whether the variable exists or not, so that it does not reveal names of other
  // organizations.
  if (!allowed.some((entry) => allowsVariable(entry, name)) || value === undefined || value === '')
    throw new Unresolved(
      'the server has no such variable for this organization',
      'ask the operator to set it, and to allow it in TOCSIN_SECRET_VARIABLES',
    )
  return value
}

const notConfigured = (what: string, name: string): Unresolved =>
  new Unresolved(`secrets from ${what} are not configured`, `ask the operator to set ${name}`)

/** Templates that give every organization the secrets of all. */
export const sharedAreas = ({ folder, vault }: SecretSettings): readonly string[] => [
  ...(folder === undefined || folder.includes(organizationMark) ? [] : ['TOCSIN_SECRETS_DIR']),
  ...(vault === undefined || vault.path.includes(organizationMark) ? [] : ['TOCSIN_VAULT_PATH']),
]

export const sharedAreaWarning = (name: string): { readonly message: string; readonly hint: string } => ({
  message: `${name} does not contain ${organizationMark}, so every organization can use the same secrets`,
  hint: `add ${organizationMark} to the path, so that each organization has its own folder`,
})
