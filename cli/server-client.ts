import { ValidationError } from '../core/errors/errors.ts'
import { readConfig } from '../server/config/config.ts'
import { processEnvironment } from '../server/config/environment.ts'
import { apiClient, type ApiClient, apiUrlOf } from './api-client.ts'

/** The server of a command: `--url`, or `TOCSIN_URL`; by default the server of this environment. */
export const urlOption = ['--url <url>', 'URL of the server; default: TOCSIN_URL'] as const

/**
 * The API of a running server, with the key in `TOCSIN_KEY`: other users can read command lines.
 *
 * @throws ValidationError `key_missing`, `url_invalid`
 */
export function serverClient(given: string | undefined): ApiClient {
  const key = processEnvironment()['TOCSIN_KEY']?.trim() ?? ''
  if (key === '') {
    throw new ValidationError('key_missing', 'an API key is missing', [], {
      hint: 'set TOCSIN_KEY; create a key with `tocsin keys create <name> --role reader`',
    })
  }
  const url = given ?? process.env['TOCSIN_URL'] ?? ''
  return apiClient(url === '' ? ownUrl() : apiUrlOf(url), key)
}

function ownUrl(): string {
  const { host, port, apiPrefix } = readConfig(processEnvironment())
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}/${apiPrefix}`
}
