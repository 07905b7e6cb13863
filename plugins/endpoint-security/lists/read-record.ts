import { pathText, type HttpClient, type RequestPath } from 'tocsin/plugin'
import type { Permission } from '../permissions.ts'
import { refusal, refusals } from '../vendor-error.ts'

/**
 * Reads one record.
 *
 * @throws SkillError `not_found` or `resource_not_found` where the vendor knows none
 */
export async function readRecord<T>(
  http: HttpClient,
  path: RequestPath,
  needs: Permission,
  decode: (record: unknown) => T,
): Promise<T> {
  const response = await http.get(path, { accept: refusals })
  if (response.status >= 400) throw refusal(`GET ${pathText(path)}`, response, needs)
  return decode(response.json())
}
