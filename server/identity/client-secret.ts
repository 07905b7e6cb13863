import type { Secret } from '../../core/plugin/index.ts'
import type { Log } from '../../core/ports/log.ts'
import type { Config } from '../config/config.ts'
import { readOperatorSecret } from '../secrets/open-secret-sources.ts'

/**
 * Reads the client secret at each use, so that a new one in a file or in Vault needs no restart.
 *
 * @param onSecret receives each value, so that the log can redact it
 */
export const clientSecretOf =
  (config: Pick<Config, 'oidc' | 'secrets'>, onSecret: (secret: string) => void, log?: Log) =>
  async (): Promise<Secret | undefined> => {
    const secret = await readOperatorSecret(
      config,
      'TOCSIN_OIDC_CLIENT_SECRET',
      config.oidc?.clientSecret,
      log,
    )
    if (secret !== undefined) onSecret(secret.reveal())
    return secret
  }
