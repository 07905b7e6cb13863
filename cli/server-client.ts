import { ValidationError } from '../core/errors/errors.ts'
import { readConfig } from '../server/config/config.ts'
import { processEnvironment } from '../server/config/environment.ts'
import { apiClient, type ApiClient } from './api-client.ts'
import { apiUrlOf } from './api-url.ts'

/** Where a command finds the server: `--url`, or `TOCSIN_URL`; else where a server of this environment listens. */
export const urlOption = ['--url <url>', 'of the server; TOCSIN_URL in the environment does too'] as const

/**
 * The API of a running server, with the key in `TOCSIN_KEY`: on a command line, others could read it.
 *
 * @throws ValidationError `key_missing`, `url_invalid`
 */
export function serverClient(given: string | undefined): ApiClient {
  const key = processEnvironment()['TOCSIN_KEY']?.trim() ?? ''
  if (key === '') {
    throw new ValidationError('key_missing', 'an API key that may read is needed', [], {
      hint: 'set TOCSIN_KEY; `tocsin keys create <name> --role reader` makes one',
    })
  }
  const url = given ?? process.env['TOCSIN_URL'] ?? ''
  return apiClient(url === '' ? ownUrl() : apiUrlOf(url), key)
}

function ownUrl(): string {
  const { host, port, apiPrefix } = readConfig(processEnvironment())
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}/${apiPrefix}`
}
